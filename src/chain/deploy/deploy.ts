import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { buildContracts } from '../../contracts/build.ts'
import type { Address } from '../../domain/ids.ts'
import { ABI_HASH, devUsdgAbi } from '../abi.ts'
import { type Contracts, findContracts, writeContracts } from '../contracts-file.ts'
import { assertSuitable } from './chain-kind.ts'
import { checkDeployment } from './check.ts'
import type { Addresses } from './constructors.ts'
import { type Deployer, makeDeployer, makeReader, type Reader } from './deployer.ts'
import {
  type DeploymentRecord,
  forgetRecord,
  readRecord,
  recordPath,
  writeRecord,
} from './record.ts'
import { hasCode, newRecord, runSteps } from './run.ts'
import { type Settings, settingsText } from './settings.ts'
import { planSteps } from './steps.ts'

export interface DeployOptions {
  readonly rpcUrl: string
  /** Pays for it, and holds no role once it is over. */
  readonly deployerPrivateKey: Hex
  readonly settings: Settings
  /** Where the addresses are kept, as JSON. The record of the deployment lies beside it. */
  readonly addressFile: string
  /**
   * What to do where the chain has no code at the known addresses. `replace` is for a chain of
   * one's own that was started anew: money may lie on contracts that a node just does not show.
   */
  readonly lostContracts?: 'refuse' | 'replace' | undefined
  /** Blocks from the last inclusion on until it counts; 1, the default: as soon as it is included. */
  readonly confirmations?: number | undefined
  readonly log?: ((line: string) => void) | undefined
}

/**
 * Puts all contracts on a chain, once, and checks them. A repeated call goes on where an earlier one
 * stopped; where all is done it changes nothing.
 * @throws when the address file or the record speak of another chain, token, version or deployer,
 *   and when what came to be differs from what was asked for
 */
export async function deployContracts(options: DeployOptions): Promise<Contracts> {
  const { addressFile, settings } = options
  const reader = makeReader(options.rpcUrl)
  const chainId = await reader.getChainId()
  const known = await findContracts(addressFile)
  if (known !== undefined) {
    assertSameTarget(known, chainId, options)
    if (await isThere(reader, known, options)) {
      assertSameVersion(known, addressFile)
      return known
    }
  }
  await assertSuitable(reader)
  if (settings.token !== 'development') await assertPaymentToken(reader, settings.token)
  await buildContracts()
  const deployer = makeDeployer(reader, options.deployerPrivateKey)
  const record = await openRecord(options, {
    reader,
    deployer,
    chainId,
    isLost: known !== undefined,
  })
  const at = await runSteps({
    ...{ reader, deployer, settings, record },
    steps: await planSteps(settings, deployer.address),
    keep: (kept) => writeRecord(addressFile, kept),
    log: options.log ?? (() => {}),
  })
  await untilDeep(reader, options.confirmations ?? 1)
  const contracts = contractsOf(at, { chainId, deployBlock: record.deploy_block })
  await assertAsAsked(reader, contracts, settings)
  // Last: whoever finds the file can use what it names.
  await writeContracts(addressFile, contracts)
  return contracts
}

const contractsOf = (
  at: Addresses,
  { chainId, deployBlock }: Pick<Contracts, 'chainId' | 'deployBlock'>,
): Contracts => ({ ...at, chainId, deployBlock, abiHash: ABI_HASH })

const PATIENCE_MS = 10 * 60_000
const POLL_MS = 1_000

/** Transactions of one key are included in their order, so the last one speaks for all. */
async function untilDeep(reader: Reader, confirmations: number): Promise<void> {
  const wanted = (await reader.getBlockNumber()) + BigInt(confirmations - 1)
  const deadline = performance.now() + PATIENCE_MS
  while ((await reader.getBlockNumber()) < wanted) {
    if (performance.now() > deadline) {
      throw new Error(`the chain did not reach block ${wanted} in time: run this again`)
    }
    await sleep(POLL_MS)
  }
}

/** @throws naming all that differs */
async function assertAsAsked(
  reader: Reader,
  contracts: Contracts,
  settings: Settings,
): Promise<void> {
  const { chainId, deployBlock } = contracts
  const findings = await checkDeployment({ reader, at: contracts, settings, chainId, deployBlock })
  const wrong = findings.filter(({ holds }) => !holds)
  if (wrong.length === 0) return
  const lines = wrong.map(({ what, asked, found }) => `  ${what}: asked ${asked}, found ${found}`)
  throw new Error(`what was deployed is not what was asked for\n${lines.join('\n')}`)
}

const EVERY = [
  ...['jobEscrow', 'workerStaking', 'usdg', 'rCompute'],
  ...['modelRegistry', 'governor', 'timelock'],
] as readonly (keyof Addresses)[]

/** Whether the known contracts are on the chain. False only where they may be replaced. */
async function isThere(reader: Reader, known: Contracts, options: DeployOptions): Promise<boolean> {
  const codes = await Promise.all(EVERY.map((name) => hasCode(reader, known[name])))
  if (codes.every(Boolean)) return true
  if (options.lostContracts !== 'replace') {
    throw new Error(
      `chain ${known.chainId} shows no code where ${options.addressFile} says that contracts are. ` +
        'A node that lags behind does so: wait for it, or ask another. If the chain was really begun ' +
        `anew, move ${options.addressFile} and ${recordPath(options.addressFile)} away`,
    )
  }
  options.log?.(`chain ${known.chainId} has no contracts at the known addresses: deploying anew`)
  return false
}

interface Opening {
  readonly reader: Reader
  readonly deployer: Deployer
  readonly chainId: number
  /** The chain was begun anew. */
  readonly isLost: boolean
}

/** The record of the deployment that is under way, or of a new one. */
async function openRecord(options: DeployOptions, opening: Opening): Promise<DeploymentRecord> {
  const { addressFile, settings } = options
  const { reader, deployer, chainId } = opening
  const found = await readRecord(addressFile)
  if (found && !(opening.isLost && (await hasNothing(reader, found)))) {
    assertSameDeployment(found, options, opening)
    return found
  }
  if (found) await forgetRecord(addressFile)
  const deployBlock = Number(await reader.getBlockNumber())
  const about = { chain_id: chainId, abi_hash: ABI_HASH, deploy_block: deployBlock }
  return newRecord(about, deployer.address, settings)
}

/** Whether nothing that a record speaks of is on the chain. */
async function hasNothing(reader: Reader, { steps }: DeploymentRecord): Promise<boolean> {
  const made = Object.values(steps).flatMap(({ address }) => (address ? [address] : []))
  const codes = await Promise.all(made.map((address) => hasCode(reader, address)))
  return codes.every((one) => !one)
}

/** Half a deployment can only be ended as it was begun. */
export function assertSameDeployment(
  record: DeploymentRecord,
  { addressFile, settings }: Pick<DeployOptions, 'addressFile' | 'settings'>,
  { deployer, chainId }: Pick<Opening, 'deployer' | 'chainId'>,
): void {
  const asked = settingsText(settings)
  const names = new Set([...Object.keys(asked), ...Object.keys(record.settings)])
  const other = [
    ...(record.chain_id === chainId ? [] : [`on chain ${record.chain_id}`]),
    ...(record.deployer === deployer.address ? [] : [`by ${record.deployer}`]),
    ...(record.abi_hash === ABI_HASH ? [] : ['by another version of this service']),
    ...[...names].flatMap((name) =>
      record.settings[name] === asked[name] ? [] : [`with ${name} ${record.settings[name]}`],
    ),
  ]
  if (other.length === 0) return
  throw new Error(
    `${recordPath(addressFile)} says that a deployment was begun ${other.join(', ')}: go on in the ` +
      'same way, or name another address file for another deployment',
  )
}

/** 1 credit = 10 000 units, which is 0.01 of a token with so many. */
const TOKEN_DECIMALS = 6

/** Of another size, every price would be wrong, and for good. */
export async function assertPaymentToken(reader: Reader, token: Address): Promise<void> {
  const read = { address: token, abi: devUsdgAbi, functionName: 'decimals' } as const
  const decimals = await reader.readContract(read).catch((cause: Error) => {
    throw new Error(`${token} is no token on this chain: check the address`, { cause })
  })
  if (decimals !== TOKEN_DECIMALS) {
    throw new Error(
      `the token ${token} has ${decimals} decimals, and credits are made of one with ${TOKEN_DECIMALS}`,
    )
  }
}

/** Overwriting the only record of contracts that hold money must not happen by a wrong setting. */
function assertSameTarget(known: Contracts, chainId: number, options: DeployOptions): void {
  const {
    addressFile,
    settings: { token },
  } = options
  if (known.chainId !== chainId) {
    throw new Error(
      `${addressFile} holds addresses of chain ${known.chainId}, but the node is on chain ` +
        `${chainId}: use another address file`,
    )
  }
  if (token !== 'development' && token !== known.usdg) {
    throw new Error(
      `${addressFile} holds an escrow of token ${known.usdg}, not ${token}: use another address file`,
    )
  }
}

/** What is in flight is in flight on these contracts, so they are not passed over silently. */
function assertSameVersion({ abiHash, jobEscrow }: Contracts, addressFile: string): void {
  if (abiHash === ABI_HASH) return
  throw new Error(
    `${addressFile} holds an escrow of another version of this service (${jobEscrow}): use another ` +
      'address file, or run the version that it belongs to',
  )
}

import { OperatorError } from '../domain/operator-error.ts'
import { ChainUnavailable, type Hex } from '../ports/escrow.ts'
import { hostAndPort } from '../telemetry/host-and-port.ts'
import type { Log } from '../telemetry/log.ts'
import { ABI_HASH } from './abi.ts'
import type { Contracts } from './contracts-file.ts'
import { assertPrices } from './read/prices.ts'
import { makeRpc, type Rpc } from './rpc/json-rpc.ts'

interface Options {
  readonly rpcUrl: string
  readonly contracts: Contracts
  readonly log: Log
}

interface Node {
  readonly rpc: Rpc
  close(): Promise<void>
}

const LOOK_MS = 2_000

/**
 * A node that is one for these contracts, before anything stands on what it says. One that is down is
 * waited for in the background; the wrong one ends the start, or the process where it comes later.
 * @throws {OperatorError} contracts of another version, or what `assertOurs` throws
 */
export async function openNode(options: Options): Promise<Node> {
  const rpc = makeRpc(options.rpcUrl)
  try {
    const stopLooking = await check(rpc, options)
    return {
      rpc,
      close: async () => {
        stopLooking()
        await rpc.close()
      },
    }
  } catch (error) {
    await rpc.close()
    throw error
  }
}

/** @returns ends the waiting for a node that is down */
async function check(rpc: Rpc, { rpcUrl, contracts, log }: Options): Promise<() => void> {
  if (contracts.abiHash !== ABI_HASH) {
    throw new OperatorError(
      `CONTRACTS_FILE names contracts of another version of this service (${contracts.jobEscrow}); ` +
        'deploy the contracts of this version, or run the version that they belong to',
    )
  }
  try {
    await assertOurs(rpc, contracts)
    return () => {}
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    const node = hostAndPort(rpcUrl, rpcUrl.startsWith('https:') ? 443 : 80)
    const said = { node, setting: 'RPC_URL' }
    log.warn({ ...said, err: error }, 'chain: the node does not answer, and is waited for')
    return lookAgain(rpc, { contracts, log }, said)
  }
}

/** Until the node answers: says so once, or ends the process. */
function lookAgain(
  rpc: Rpc,
  { contracts, log }: Pick<Options, 'contracts' | 'log'>,
  said: object,
): () => void {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const look = async () => {
    try {
      await assertOurs(rpc, contracts)
      log.info(said, 'chain: the node answers')
    } catch (error) {
      if (stopped) return
      // Nobody awaits this: it ends the process, as it would have ended its start.
      if (!(error instanceof ChainUnavailable)) throw error
      lookLater()
    }
  }
  const lookLater = () => {
    timer = setTimeout(() => void look(), LOOK_MS)
  }
  lookLater()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/**
 * A node of another chain, or an address file of other contracts, must end a start: whatever is sent to an
 * address without code succeeds and does nothing, and the watcher would step over the blocks of the right one.
 * @throws {ChainUnavailable} no answer @throws {OperatorError} another chain, no contracts, or other prices
 */
async function assertOurs(rpc: Rpc, contracts: Contracts): Promise<void> {
  const chainId = Number(await rpc.call<string>('eth_chainId', []))
  if (chainId !== contracts.chainId) {
    throw new OperatorError(
      `RPC_URL leads to chain ${chainId}, but the contracts are on chain ${contracts.chainId}; ` +
        'set RPC_URL to a node of that chain, or CONTRACTS_FILE to the addresses on this one',
    )
  }
  await Promise.all(addressesOf(contracts).map((named) => assertCode(rpc, named)))
  await assertPrices(rpc, contracts.jobEscrow)
}

/** By their names in the address file. */
const addressesOf = (contracts: Contracts): readonly (readonly [string, string])[] => [
  ['job_escrow', contracts.jobEscrow],
  ['worker_staking', contracts.workerStaking],
  ['usdg', contracts.usdg],
  ['r_compute', contracts.rCompute],
  ['model_registry', contracts.modelRegistry],
  ['governor', contracts.governor],
  ['timelock', contracts.timelock],
]

async function assertCode(rpc: Rpc, [name, address]: readonly [string, string]): Promise<void> {
  const code = await rpc.call<Hex>('eth_getCode', [address, 'latest'])
  if (code !== '0x') return
  throw new OperatorError(
    `RPC_URL shows no code at ${address}, where CONTRACTS_FILE says that ${name} is; set ` +
      'CONTRACTS_FILE to the address file of this chain, or wait until the node has all its blocks',
  )
}

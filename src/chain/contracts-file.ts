import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { type Address, toAddress } from '../domain/ids.ts'
import { OperatorError } from '../domain/operator-error.ts'
import { writeDurably } from './durable-file.ts'

/** Where the contracts are. */
export interface Contracts {
  readonly chainId: number
  readonly jobEscrow: Address
  readonly workerStaking: Address
  readonly usdg: Address
  /** The governance token, which workers stake. */
  readonly rCompute: Address
  readonly modelRegistry: Address
  readonly governor: Address
  /** Carries out what the governor's voters decided. */
  readonly timelock: Address
  /** No log of these contracts is older than this block. */
  readonly deployBlock: number
  /** `ABI_HASH` of the version that deployed them; empty where that version knew none. */
  readonly abiHash: string
}

/**
 * Reads the address file that the deployment wrote.
 * @throws {OperatorError} when there is none, or it is not one
 */
export async function readContracts(path: string): Promise<Contracts> {
  const contracts = await findContracts(path)
  if (!contracts) {
    throw new OperatorError(
      `CONTRACTS_FILE ${path} does not exist; deploy the contracts first, or name the file that ` +
        'their deployment wrote',
    )
  }
  return contracts
}

const address = z.string().transform(toAddress)
const AddressFile = z.object({
  chain_id: z.int().positive(),
  job_escrow: address,
  worker_staking: address,
  usdg: address,
  r_compute: address,
  model_registry: address,
  governor: address,
  timelock: address,
  deploy_block: z.int().nonnegative(),
  abi_hash: z.string().default(''),
})

/** The contracts that a file names are of a version that had fewer of them. */
export class OlderAddressFile extends OperatorError {}

/**
 * What the address file says, or undefined where there is none.
 * @throws {OlderAddressFile}
 * @throws {OperatorError} where it cannot be read, or is something else
 */
export async function findContracts(path: string): Promise<Contracts | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new OperatorError(
      `CONTRACTS_FILE ${path} cannot be read (${error.code}); let the user that this runs as read ` +
        'it: it holds no secret',
      { cause: error },
    )
  })
  if (text === undefined) return undefined
  const file = parse(text, path)
  return {
    chainId: file.chain_id,
    jobEscrow: file.job_escrow,
    workerStaking: file.worker_staking,
    usdg: file.usdg,
    rCompute: file.r_compute,
    modelRegistry: file.model_registry,
    governor: file.governor,
    timelock: file.timelock,
    deployBlock: file.deploy_block,
    abiHash: file.abi_hash,
  }
}

function parse(text: string, path: string): z.output<typeof AddressFile> {
  try {
    const json: unknown = JSON.parse(text)
    if (typeof json === 'object' && json && 'job_escrow' in json && !('governor' in json)) {
      throw new OlderAddressFile(
        `${path} names contracts of another version of this service; deploy the contracts of this ` +
          'version to another address file, or run the version that they belong to',
      )
    }
    return AddressFile.parse(json)
  } catch (cause) {
    if (cause instanceof OlderAddressFile) throw cause
    throw new OperatorError(
      `CONTRACTS_FILE ${path} is not an address file; deploy the contracts, or name the file that ` +
        'their deployment wrote',
      { cause },
    )
  }
}

export async function writeContracts(path: string, deployed: Contracts): Promise<void> {
  const file: z.input<typeof AddressFile> = {
    chain_id: deployed.chainId,
    job_escrow: deployed.jobEscrow,
    worker_staking: deployed.workerStaking,
    usdg: deployed.usdg,
    r_compute: deployed.rCompute,
    model_registry: deployed.modelRegistry,
    governor: deployed.governor,
    timelock: deployed.timelock,
    deploy_block: deployed.deployBlock,
    abi_hash: deployed.abiHash,
  }
  // Whoever waits for the file must never read half of it.
  await writeDurably(path, `${JSON.stringify(file, null, 2)}\n`)
}

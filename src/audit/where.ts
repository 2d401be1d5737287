import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { CannotTell } from './cannot-tell.ts'
import { fromCaller } from './command-line.ts'

/** Which contract on which chain is looked at. The rest is asked of the contract itself. */
export interface Where {
  readonly rpcUrl: string
  readonly chainId: number
  readonly escrow: `0x${string}`
  /** No event of the escrow is older. */
  readonly deployBlock: bigint
}

export interface WhereOptions {
  readonly rpc: string | undefined
  readonly contracts: string | undefined
  readonly dataDir: string | undefined
}

/** Flags of every command here, as `parseArgs` takes them. */
export const WHERE_FLAGS = {
  rpc: { type: 'string' },
  contracts: { type: 'string' },
  'data-dir': { type: 'string' },
} as const

export const DEFAULT_DATA_DIR = '.svc'

const ContractsFile = z.object({
  chain_id: z.int().positive(),
  job_escrow: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .transform((address) => address.toLowerCase() as `0x${string}`),
  deploy_block: z.int().nonnegative(),
})

const NetworkFile = z.object({
  rpc_url: z.string(),
  nats_url: z.string().optional(),
  redis_url: z.string().optional(),
})
export type NetworkUrls = z.infer<typeof NetworkFile>

/**
 * A flag wins over the environment (RPC_URL, CONTRACTS_FILE), and that over the data directory,
 * unless the directory was named by a flag itself.
 */
export function findWhere({ rpc, contracts, dataDir }: WhereOptions): Where {
  const env = dataDir === undefined ? process.env : {}
  const dir = dataDir === undefined ? DEFAULT_DATA_DIR : fromCaller(dataDir)
  const file = contracts ? fromCaller(contracts) : env.CONTRACTS_FILE || join(dir, 'contracts.json')
  const found = readJson(file, ContractsFile, 'an address file')
  if (!found) {
    throw new CannotTell(
      `there is no address file ${file}: name it with --contracts FILE, or the data directory of ` +
        'a network with --data-dir DIR',
    )
  }
  const rpcUrl = rpc || env.RPC_URL || findNetwork(dir)?.rpc_url
  if (!rpcUrl) {
    throw new CannotTell('which node to ask is not known: name one with --rpc URL')
  }
  return {
    rpcUrl,
    chainId: found.chain_id,
    escrow: found.job_escrow,
    deployBlock: BigInt(found.deploy_block),
  }
}

/** What network.json in a data directory says; undefined where there is none. */
export const findNetwork = (dir: string): NetworkUrls | undefined =>
  readJson(join(dir, 'network.json'), NetworkFile, 'a description of a network')

function readJson<T>(path: string, schema: z.ZodType<T>, what: string): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new CannotTell(`${path} cannot be read as ${what}`, { cause: error })
  }
}

import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  http,
  type PublicClient,
} from 'viem'
import { ConfigError } from '../../config/read.ts'
import type { Settings } from '../cli/settings.ts'
import { escrowAbi } from './abi.ts'
import type { FoundContracts, WorkerContracts } from './contracts.ts'

/** The settlement chain, as a worker's operator sees it. */
export interface Chain {
  readonly client: PublicClient
  readonly contracts: WorkerContracts
}

/**
 * Connects to the node of `--rpc`, and checks that the contracts are on its chain.
 * @throws {ConfigError}
 */
export async function openChain(settings: Settings, contracts: FoundContracts): Promise<Chain> {
  const url = settings.WORKER_RPC_URL
  if (!url) {
    const where = contracts.chainId === undefined ? 'their chain' : `chain ${contracts.chainId}`
    throw new ConfigError(
      `name a node of ${where} with --rpc: earnings and stake are on chain, and what the agent ` +
        'sends there it sends with its own key',
    )
  }
  if (!/^https?:\/\//.test(url)) throw new ConfigError('--rpc must be an http or https address')
  const client = createPublicClient({ transport: http(url, { batch: true }) })
  // The URL stays out of messages: providers put their key in it.
  const chainId = await client.getChainId().catch((error: unknown) => {
    throw new ConfigError(`the node of --rpc does not answer: ${reasonOf(error)}`)
  })
  if (contracts.chainId !== undefined && chainId !== contracts.chainId) {
    throw new ConfigError(
      `the node of --rpc is of chain ${chainId}, the pool settles on chain ${contracts.chainId}`,
    )
  }
  const workers = await client
    .readContract({ address: contracts.jobEscrow, abi: escrowAbi, functionName: 'WORKERS' })
    .catch(() => undefined)
  if (workers?.toLowerCase() !== contracts.workerStaking) {
    throw new ConfigError(
      `on chain ${chainId} JobEscrow ${contracts.jobEscrow} does not pay the workers of ` +
        `WorkerStaking ${contracts.workerStaking}: the pool, --job-escrow or --worker-staking is wrong`,
    )
  }
  return { client, contracts: { ...contracts, chainId } }
}

/**
 * What the node is asked for. What goes wrong with it viem says with its address, and with all that was asked.
 * @throws {ConfigError} in its place
 */
export async function ofNode<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    throw new ConfigError(`the node of --rpc does not answer: ${reasonOf(error)}`)
  }
}

const NOTHING_LOST = 'what is earned is kept, and the network pays it out by itself then'

/** What the operator can do, where the name does not say it. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  [
    'AddressFrozen',
    'The issuer of USDG has frozen the payee, or the escrow. Send setPayee of the WorkerStaking contract ' +
      `from the worker's key to be paid elsewhere, or wait until it lets go; ${NOTHING_LOST}`,
  ],
  ['ContractPaused', `The issuer of USDG has paused it: wait until it lets go; ${NOTHING_LOST}`],
  [
    'StillUnbonding',
    'Stake is taken out a week after the last unstake: svc-worker status says when',
  ],
  [
    'PaysItself',
    "The payee is the escrow itself: send setPayee of the WorkerStaking contract from the worker's key",
  ],
])

/** Whether it was a contract that refused, and not the node. */
export const isRevert = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk((cause) => cause instanceof ContractFunctionRevertedError) instanceof
    ContractFunctionRevertedError

/** Why the chain or its node refuses, short; never with the node's address in it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof BaseError)) return error instanceof Error ? error.message : String(error)
  const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError)
  if (reverted instanceof ContractFunctionRevertedError && reverted.data) {
    const { errorName, args = [] } = reverted.data
    const reason = `${errorName}(${args.join(', ')})`
    const advice = ADVICE.get(errorName)
    return advice === undefined ? reason : `${reason}. ${advice}`
  }
  return error.walk() instanceof BaseError
    ? (error.walk() as BaseError).shortMessage
    : error.shortMessage
}

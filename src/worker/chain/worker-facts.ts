import { ConfigError } from '../../config/read.ts'
import type { Address } from '../../domain/ids.ts'
import { toAddress } from '../../domain/ids.ts'
import { escrowAbi, rComputeAbi, stakingAbi } from './abi.ts'
import { type Chain, ofNode, reasonOf } from './chain.ts'

/** A worker as the chain sees it. Amounts as text, in the smallest units: it travels as JSON. */
export interface WorkerFacts {
  readonly workerId: number
  readonly payee: Address
  /** Left for good: it settles no more jobs. */
  readonly deactivated: boolean
  /** Active stake and the least that earns the higher share, units of the governance token. */
  readonly stake: string
  readonly minimumStake: string
  readonly unbonding: string
  /** Unix seconds from which all that is unbonding can be withdrawn; 0 where nothing is. */
  readonly withdrawableAt: number
  /** Basis points of a job's charge that a job settled now would bring. */
  readonly shareBps: number
  readonly isBoosted: boolean
  /** Payment-token units on hold and claimable together, and those that are claimable. */
  readonly earnedUnits: string
  readonly claimableUnits: string
  /** Of the worker's own key: what it could stake, and what it has for gas. */
  readonly tokenUnits: string
  readonly gasWei: string
}

/** What somebody does whose key is not registered. */
export const HOW_TO_REGISTER = 'svc-worker register, or start the agent once'

/**
 * Reads all facts, or undefined where the key is not registered, or has left.
 * @throws {ConfigError} where the node does not answer
 */
export async function readWorkerFacts(
  chain: Chain,
  worker: Address,
): Promise<WorkerFacts | undefined> {
  const workerId = await ofNode(
    chain.client.readContract({
      address: chain.contracts.workerStaking,
      abi: stakingAbi,
      functionName: 'workerIdOf',
      args: [worker],
    }),
  )
  return workerId === 0 ? undefined : ofNode(factsOf(chain, worker, workerId))
}

/**
 * The same of one that has left, too: it may still be owed earnings and stake. The contract gives no number
 * for those, so the node is asked for the log of it: for a command, not for a look now and then.
 * @throws {ConfigError} where the node does not answer, or does not search that far
 */
export async function readFactsOfAny(
  chain: Chain,
  worker: Address,
): Promise<WorkerFacts | undefined> {
  const facts = await readWorkerFacts(chain, worker)
  if (facts) return facts
  const logs = await chain.client
    .getContractEvents({
      address: chain.contracts.workerStaking,
      abi: stakingAbi,
      eventName: 'WorkerDeactivated',
      args: { signer: worker },
      fromBlock: 0n,
      strict: true,
    })
    .catch((error: unknown) => {
      throw new ConfigError(
        `${worker} is not registered: ${HOW_TO_REGISTER}. Where it has left for good, ` +
          `what it is owed the node of --rpc does not find (${reasonOf(error)}): name one that searches logs ` +
          "from the first block on, or open the worker's page in the web app, where anyone may have it paid " +
          'out to the payee',
      )
    })
  const workerId = logs.at(-1)?.args.workerId
  return workerId === undefined ? undefined : ofNode(factsOf(chain, worker, workerId))
}

async function factsOf(chain: Chain, worker: Address, workerId: number): Promise<WorkerFacts> {
  const { client, contracts } = chain
  const staking = { address: contracts.workerStaking, abi: stakingAbi } as const
  const escrow = { address: contracts.jobEscrow, abi: escrowAbi } as const
  const args = [workerId] as const
  const [record, minimum, token, earned, claimable, base, boosted, gas] = await Promise.all([
    client.readContract({ ...staking, functionName: 'workers', args }),
    client.readContract({ ...staking, functionName: 'MINIMUM_STAKE' }),
    client.readContract({ ...staking, functionName: 'TOKEN' }),
    client.readContract({ ...escrow, functionName: 'earnings', args }),
    client.readContract({ ...escrow, functionName: 'claimableEarnings', args }),
    client.readContract({ ...escrow, functionName: 'DEFAULT_SHARE_BPS' }),
    client.readContract({ ...escrow, functionName: 'STAKED_SHARE_BPS' }),
    client.getBalance({ address: worker }),
  ])
  const tokenUnits = await client.readContract({
    address: token,
    abi: rComputeAbi,
    functionName: 'balanceOf',
    args: [worker],
  })
  const isBoosted = record.active >= minimum
  return {
    workerId,
    payee: toAddress(record.payee),
    deactivated: record.deactivated,
    stake: String(record.active),
    minimumStake: String(minimum),
    unbonding: String(record.unbonding),
    withdrawableAt: record.unbonding === 0n ? 0 : record.withdrawableAt,
    shareBps: Number(isBoosted ? boosted : base),
    isBoosted,
    earnedUnits: String(earned),
    claimableUnits: String(claimable),
    tokenUnits: String(tokenUnits),
    gasWei: String(gas),
  }
}

/**
 * What to tell an operator who wants another payee than the chain has: one is set when a worker
 * registers, and the wish of a later start changes nothing.
 */
export function otherPayee(
  wanted: string | undefined,
  { payee, workerId }: Pick<WorkerFacts, 'payee' | 'workerId'>,
): string | undefined {
  if (!wanted || toAddress(wanted) === payee) return undefined
  return (
    `--payee ${wanted} has no effect: on chain ${payee} is the payee of worker ${workerId}. To ` +
    "change it, send setPayee of the WorkerStaking contract from the worker's key"
  )
}

/** The same where no node is named, so that nobody knows who the payee on chain is. */
export function uncheckedPayee(wanted: string | undefined): string | undefined {
  if (!wanted) return undefined
  return (
    `--payee ${wanted} counts only when this key registers for the first time. If it is registered ` +
    'already, the payee on chain stays, and earnings go there: --rpc has the agent compare the two'
  )
}

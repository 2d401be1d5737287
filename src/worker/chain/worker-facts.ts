import type { Address } from '../../domain/ids.ts'
import { toAddress } from '../../domain/ids.ts'
import { escrowAbi, rComputeAbi, stakingAbi } from './abi.ts'
import type { Chain } from './chain.ts'

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

/** Reads all facts, or undefined where the key is not registered. */
export async function readWorkerFacts(
  chain: Chain,
  worker: Address,
): Promise<WorkerFacts | undefined> {
  const { client, contracts } = chain
  const staking = { address: contracts.workerStaking, abi: stakingAbi } as const
  const escrow = { address: contracts.jobEscrow, abi: escrowAbi } as const
  const workerId = await client.readContract({
    ...staking,
    functionName: 'workerIdOf',
    args: [worker],
  })
  if (workerId === 0) return undefined
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

import {
  type Address,
  type ContractFunctionReturnType,
  encodeEventTopics,
  type Hex,
  numberToHex,
} from 'viem'
import { jobEscrowAbi, workerStakingAbi } from '../../../chain/abi.ts'
import type { WebConfig } from '../../api.ts'
import { readClock } from './clock.ts'
import { readHistory } from './history.ts'
import { jobIdOfHex } from './job-id.ts'
import { readerOf } from './reader.ts'

export interface WorkerRecord {
  readonly id: number
  /** The worker's own key. */
  readonly signer: Address
  /** Where earnings and withdrawn stake go. */
  readonly payee: Address
  readonly hasLeft: boolean
  /** In units of RCOMPUTE, as `unbonding`. */
  readonly active: bigint
  readonly unbonding: bigint
  /** Unix seconds. */
  readonly withdrawableAt: number
}

export interface WorkerMoney extends WorkerRecord {
  /** Earned and not paid out yet, in units of USDG. */
  readonly earnedUnits: bigint
  /** Of it, what can be claimed now. */
  readonly claimableUnits: bigint
  /** The rest is free at the latest then. */
  readonly heldUntil: string
  /** A part of the rest may be free then. */
  readonly nextFreeAt: string
  readonly unstakedAt: string
  readonly isUnstaked: boolean
  readonly minimumStake: bigint
  readonly slashPercent: number
}

const staking = ({ contracts }: WebConfig) =>
  ({ address: contracts.worker_staking, abi: workerStakingAbi }) as const
const escrow = ({ contracts }: WebConfig) =>
  ({ address: contracts.job_escrow, abi: jobEscrowAbi }) as const

/** 0: no worker that has not left has this address for its own key. */
export const readWorkerId = (web: WebConfig, signer: Address): Promise<number> =>
  readerOf(web).readContract({
    ...{ ...staking(web), functionName: 'workerIdOf', args: [signer] },
  })

export async function readWorker(web: WebConfig, id: number): Promise<WorkerMoney> {
  const client = readerOf(web)
  const about = { args: [id] } as const
  const [record, earnedUnits, claimableUnits, disputeSeconds, minimumStake, slashBps, clock] =
    await Promise.all([
      readRecord(web, id),
      client.readContract({ ...escrow(web), ...about, functionName: 'earnings' }),
      client.readContract({ ...escrow(web), ...about, functionName: 'claimableEarnings' }),
      client.readContract({ ...escrow(web), functionName: 'DISPUTE_SECONDS' }),
      client.readContract({ ...staking(web), functionName: 'MINIMUM_STAKE' }),
      client.readContract({ ...staking(web), functionName: 'SLASH_BPS' }),
      readClock(web),
    ])
  // Earnings are held through the window in which they came and the one after it.
  const window = Math.floor(clock.seconds / disputeSeconds)
  return {
    ...{ ...record, earnedUnits, claimableUnits, minimumStake },
    slashPercent: slashBps / 100,
    nextFreeAt: clock.isoAt((window + 1) * disputeSeconds),
    heldUntil: clock.isoAt((window + 2) * disputeSeconds),
    unstakedAt: clock.isoAt(record.withdrawableAt),
    isUnstaked: clock.seconds >= record.withdrawableAt,
  }
}

export async function readRecord(web: WebConfig, id: number): Promise<WorkerRecord> {
  const found = { ...staking(web), functionName: 'workers', args: [id] } as const
  return recordOf(id, await readerOf(web).readContract(found))
}

type OnChain = ContractFunctionReturnType<typeof workerStakingAbi, 'view', 'workers'>

export function recordOf(
  id: number,
  { deactivated, signer, payee, ...rest }: OnChain,
): WorkerRecord {
  return {
    ...{ id, active: rest.active, unbonding: rest.unbonding },
    withdrawableAt: Number(rest.withdrawableAt),
    hasLeft: deactivated,
    signer: signer.toLowerCase() as Address,
    payee: payee.toLowerCase() as Address,
  }
}

export interface WorkerPage {
  readonly workers: readonly WorkerRecord[]
  readonly count: number
  readonly minimumStake: bigint
}

/** The latest ones, newest first. */
export async function readLatestWorkers(web: WebConfig, most: number): Promise<WorkerPage> {
  const client = readerOf(web)
  const [count, minimumStake] = await Promise.all([
    client.readContract({ ...staking(web), functionName: 'workerCount' }),
    client.readContract({ ...staking(web), functionName: 'MINIMUM_STAKE' }),
  ])
  const ids = Array.from({ length: Math.min(most, count) }, (_, back) => count - back)
  return { workers: await Promise.all(ids.map((id) => readRecord(web, id))), count, minimumStake }
}

const SETTLED = encodeEventTopics({ abi: jobEscrowAbi, eventName: 'JobSettled' })[0]!

export interface PaidJob {
  readonly id: string
  readonly tx: Hex
}

/** Null: none in the blocks that were looked through, which are more with each look. */
export async function readLastPaidJob(web: WebConfig, workerId: number): Promise<PaidJob | null> {
  const search = {
    address: [web.contracts.job_escrow],
    topics: [[SETTLED, null, null, numberToHex(workerId, { size: 32 })]],
  }
  const { events } = await readHistory(web, search, 1)
  const [last] = events
  const id = last && jobIdOfHex(String(last.args.jobId))
  return last && id ? { id, tx: last.tx } : null
}

import type { FinishReason } from '../../src/domain/chat.ts'
import { minCredits } from '../../src/domain/credits.ts'
import type { Address, Hex32, JobId, TxHash } from '../../src/domain/ids.ts'
import { priceOf } from '../../src/domain/pricing.ts'
import type { CompactSignature } from '../../src/domain/proof.ts'
import { assert, unreachable } from '../../src/domain/result.ts'
import type { UnixMs } from '../../src/domain/time.ts'
import type { Usage } from '../../src/domain/usage.ts'
import {
  type CompletedEvent,
  type CompletedJob,
  evolveCompleted,
  type SettlingJob,
} from './completed.ts'
import type { AssignedWorker, JobRefusal, JobTerms, LockedEscrow } from './terms.ts'

/** A job: what it was asked, where its credits are, and what is left to happen. */
export type Job = RunningJob | CompletedJob | EndedJob | AbandonedJob

/** Where the job's credits are, as far as we know. */
export type Escrow =
  /** The lock was asked for; it may be on its way. */
  | { readonly at: 'asked' }
  | LockedEscrow
  /** There is no lock and never will be. */
  | { readonly at: 'never' }
  /** On its way back (`refundBlock` null), or back. */
  | {
      readonly at: 'returned'
      readonly tx: TxHash | null
      readonly refundTx: TxHash
      readonly refundBlock: number | null
    }

/** One try to have a worker run the job. */
export interface Attempt {
  /** From 1. */
  readonly number: number
  readonly poolId: string
  readonly worker: AssignedWorker | null
}

export interface RunningJob {
  readonly status: 'pending' | 'processing'
  readonly terms: JobTerms
  readonly escrow: Escrow
  readonly attempt: Attempt | null
  readonly attempts: number
  /** Workers and pools that this job is not offered to again. */
  readonly excludeWorkers: readonly Address[]
  readonly excludePools: readonly string[]
  /** Up to so many tokens of context were too few. */
  readonly contextAbove?: number
  /** The caller hung up: what was generated is settled, nothing is tried again. */
  readonly cancelled: boolean
  /** When another edge began to wait for it; absent while that is the one that began it. */
  readonly joinedAt?: UnixMs
}

export interface EndedJob {
  readonly status: 'failed' | 'refunded'
  readonly terms: JobTerms
  readonly escrow: Escrow
  /** The worker that had the job last, if any. */
  readonly worker: Address | null
  /** The pool that may still be running it. */
  readonly poolId: string | null
  readonly refusal: JobRefusal
  readonly endedAt: UnixMs
}

/** A tombstone: the credits were given back before the job began, so it can never begin. */
export interface AbandonedJob {
  readonly status: 'abandoned'
  readonly id: JobId
  readonly wallet: Address
}

export type JobEvent =
  | { readonly type: 'JobStarted'; readonly terms: JobTerms }
  | { readonly type: 'JobAbandoned'; readonly jobId: JobId; readonly wallet: Address }
  | { readonly type: 'LockConfirmed'; readonly tx: TxHash; readonly block: number }
  | { readonly type: 'LockRefused' }
  | { readonly type: 'OfferMade'; readonly poolId: string }
  | {
      readonly type: 'OfferFailed'
      readonly excludePool: boolean
      /** That must not get the job again, besides the one it was assigned to. */
      readonly workers?: readonly Address[]
      readonly contextAbove?: number
    }
  | { readonly type: 'WorkerAssigned'; readonly worker: Address; readonly workerId: number }
  | { readonly type: 'JobJoined'; readonly replyTo: string; readonly at: UnixMs }
  | { readonly type: 'CancelRequested' }
  | {
      readonly type: 'JobCompleted'
      readonly worker: Address
      readonly workerId: number
      readonly usage: Usage
      readonly finishReason: FinishReason
      readonly outputHash: Hex32
      readonly chunks: number
      readonly signedAt: number
      readonly signature: CompactSignature
      readonly at: UnixMs
    }
  | { readonly type: 'JobFailed'; readonly refusal: JobRefusal; readonly at: UnixMs }
  | { readonly type: 'JobExpired'; readonly refusal: JobRefusal; readonly at: UnixMs }
  | CompletedEvent
  | { readonly type: 'RefundConfirmed'; readonly tx: TxHash; readonly block: number | null }

export const isRunning = (job: Job): job is RunningJob =>
  job.status === 'pending' || job.status === 'processing'
/** A worker has proved an answer, whatever became of it then. */
export const isCompleted = (job: Job): job is CompletedJob =>
  job.status === 'settling' ||
  job.status === 'settled' ||
  job.status === 'disputed' ||
  job.status === 'upheld'
/** The lock is gone into a settlement: nothing gives it back any more. */
export const isPaid = (job: Job): boolean => isCompleted(job) && job.settlement !== null
export const isEnded = (job: Job): job is EndedJob =>
  job.status === 'failed' || job.status === 'refunded'

/** A timeout whose answer waits for the hash of the refund, which nobody has told yet. */
export const awaitsRefundHash = ({ status, escrow }: EndedJob): boolean =>
  status === 'refunded' && escrow.at !== 'returned' && escrow.at !== 'never'

/** The lock is asked for, or broadcast (block 0): the chain has not decided yet. */
export const lockIsOpen = ({ escrow }: Exclude<Job, AbandonedJob>): boolean =>
  escrow.at === 'asked' || (escrow.at === 'locked' && escrow.block === 0)

export function evolve(job: Job | undefined, event: JobEvent): Job {
  if (event.type === 'JobStarted') return started(event.terms)
  if (event.type === 'JobAbandoned') {
    return { status: 'abandoned', id: event.jobId, wallet: event.wallet }
  }
  assert(job && job.status !== 'abandoned', `${event.type} of a job that never began`)
  switch (event.type) {
    case 'LockConfirmed': {
      const escrow: LockedEscrow = { at: 'locked', tx: event.tx, block: event.block }
      return isCompleted(job) ? { ...job, escrow } : withEscrow(job, escrow)
    }
    case 'LockRefused':
      return withEscrow(job, { at: 'never' })
    case 'RefundConfirmed':
      return returned(job, event.tx, event.block)
    case 'SettlementConfirmed':
    case 'JobDisputed':
    case 'DisputeConfirmed':
    case 'DisputeRefused':
    case 'DisputeResolved':
      assert(isCompleted(job), `${event.type} of a job without an answer`)
      return evolveCompleted(job, event)
    case 'JobFailed':
      return ended(job, 'failed', event.refusal, event.at)
    case 'JobExpired':
      return ended(job, 'refunded', event.refusal, event.at)
    default:
      assert(isRunning(job), `${event.type} of a job that has ended`)
      return evolveRunning(job, event)
  }
}

function started(terms: JobTerms): RunningJob {
  return {
    status: 'pending',
    terms,
    escrow: { at: 'asked' },
    attempt: null,
    attempts: 0,
    excludeWorkers: [],
    excludePools: [],
    cancelled: false,
  }
}

type RunningEvent = Extract<
  JobEvent,
  {
    type:
      | 'OfferMade'
      | 'OfferFailed'
      | 'WorkerAssigned'
      | 'JobJoined'
      | 'CancelRequested'
      | 'JobCompleted'
  }
>

function evolveRunning(job: RunningJob, event: RunningEvent): Job {
  switch (event.type) {
    case 'OfferMade': {
      const number = job.attempts + 1
      const attempt = { number, poolId: event.poolId, worker: null }
      return { ...job, status: 'pending', attempt, attempts: number }
    }
    case 'OfferFailed':
      return offerFailed(job, event)
    case 'WorkerAssigned': {
      assert(job.attempt, 'a worker is assigned to an offer')
      const worker = { address: event.worker, id: event.workerId }
      return { ...job, status: 'processing', attempt: { ...job.attempt, worker } }
    }
    case 'JobJoined':
      return { ...job, terms: { ...job.terms, replyTo: event.replyTo }, joinedAt: event.at }
    case 'CancelRequested':
      return { ...job, cancelled: true }
    case 'JobCompleted':
      return completed(job, event)
    default:
      return unreachable(event)
  }
}

function offerFailed(
  job: RunningJob,
  { excludePool, workers = [], contextAbove }: Extract<JobEvent, { type: 'OfferFailed' }>,
): RunningJob {
  const { attempt } = job
  assert(attempt, 'an offer failed that was made')
  const assigned = attempt.worker ? [attempt.worker.address] : []
  return {
    ...job,
    status: 'pending',
    attempt: null,
    excludeWorkers: [...new Set([...job.excludeWorkers, ...assigned, ...workers])],
    excludePools: excludePool ? [...job.excludePools, attempt.poolId] : job.excludePools,
    ...(contextAbove === undefined ? {} : { contextAbove }),
  }
}

function completed(
  job: RunningJob,
  event: Extract<JobEvent, { type: 'JobCompleted' }>,
): SettlingJob {
  const { escrow, terms, attempt } = job
  assert(escrow.at === 'locked' && attempt, 'a job is completed under its lock')
  const { worker, workerId, at, type: _, ...proof } = event
  return {
    status: 'settling',
    terms,
    escrow,
    attempt: attempt.number,
    worker: { address: worker, id: workerId },
    ...proof,
    completedAt: at,
    charged: minCredits(priceOf(terms.tier, event.usage.completionTokens), terms.lock),
    settlement: null,
  }
}

function ended(
  job: Exclude<Job, AbandonedJob>,
  status: EndedJob['status'],
  refusal: JobRefusal,
  endedAt: UnixMs,
): EndedJob {
  const running = isRunning(job) ? job.attempt : null
  return {
    status,
    terms: job.terms,
    escrow: job.escrow,
    worker: isCompleted(job) ? job.worker.address : (running?.worker?.address ?? null),
    poolId: running?.poolId ?? null,
    refusal,
    endedAt,
  }
}

function withEscrow(job: Exclude<Job, AbandonedJob>, escrow: Escrow): Job {
  assert(!isCompleted(job), 'the escrow of a completed job is settled')
  return { ...job, escrow }
}

function returned(
  job: Exclude<Job, AbandonedJob>,
  refundTx: TxHash,
  refundBlock: number | null,
): Job {
  const tx = job.escrow.at === 'locked' || job.escrow.at === 'returned' ? job.escrow.tx : null
  return withEscrow(job, { at: 'returned', tx, refundTx, refundBlock })
}

import type { FinishReason } from '../../src/domain/chat.ts'
import { type Credits, minCredits } from '../../src/domain/credits.ts'
import type { Refusal } from '../../src/domain/errors.ts'
import type { Address, Hex32, JobId, TxHash } from '../../src/domain/ids.ts'
import { priceOf } from '../../src/domain/pricing.ts'
import type { CompactSignature } from '../../src/domain/proof.ts'
import { assert, unreachable } from '../../src/domain/result.ts'
import type { Tier } from '../../src/domain/tiers.ts'
import type { UnixMs } from '../../src/domain/time.ts'
import type { Usage } from '../../src/domain/usage.ts'

/** A job: what it was asked, where its credits are, and what is left to happen. */
export type Job = RunningJob | CompletedJob | EndedJob | AbandonedJob

/** Known from the first event on, and never changed. */
export interface JobTerms {
  readonly id: JobId
  readonly wallet: Address
  readonly model: string
  readonly tier: Tier
  readonly lock: Credits
  readonly outputTokensMax: number
  readonly stream: boolean
  readonly replyTo: string
  readonly createdAt: UnixMs
  readonly deadlineAt: UnixMs
}

/** Where the job's credits are, as far as we know. */
export type Escrow =
  /** The lock was asked for; it may be on its way. */
  | { readonly at: 'asked' }
  | { readonly at: 'locked'; readonly tx: TxHash; readonly block: number }
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
  readonly worker: { readonly address: Address; readonly id: number } | null
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
  /** The caller hung up: what was generated is settled, nothing is tried again. */
  readonly cancelled: boolean
}

export interface CompletedJob {
  readonly status: 'settling' | 'settled'
  readonly terms: JobTerms
  readonly escrow: { readonly at: 'locked'; readonly tx: TxHash; readonly block: number }
  readonly attempt: number
  readonly worker: { readonly address: Address; readonly id: number }
  readonly usage: Usage
  readonly finishReason: FinishReason
  readonly outputHash: Hex32
  readonly chunks: number
  /** Unix seconds, as signed. */
  readonly signedAt: number
  readonly signature: CompactSignature
  readonly completedAt: UnixMs
  /** Price of the signed token count, never above the lock. */
  readonly charged: Credits
  readonly settlement: { readonly tx: TxHash; readonly block: number } | null
}

export interface EndedJob {
  readonly status: 'failed' | 'refunded'
  readonly terms: JobTerms
  readonly escrow: Escrow
  /** The worker that had the job last, if any. */
  readonly worker: Address | null
  /** The pool that may still be running it. */
  readonly poolId: string | null
  readonly refusal: Refusal
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
  | { readonly type: 'OfferFailed'; readonly excludePool: boolean }
  | { readonly type: 'WorkerAssigned'; readonly worker: Address; readonly workerId: number }
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
  | { readonly type: 'JobFailed'; readonly refusal: Refusal; readonly at: UnixMs }
  | { readonly type: 'JobExpired'; readonly refusal: Refusal; readonly at: UnixMs }
  | {
      readonly type: 'SettlementConfirmed'
      readonly tx: TxHash
      readonly block: number
      readonly charged: Credits
    }
  | { readonly type: 'RefundConfirmed'; readonly tx: TxHash; readonly block: number | null }

export const isRunning = (job: Job): job is RunningJob =>
  job.status === 'pending' || job.status === 'processing'
export const isCompleted = (job: Job): job is CompletedJob =>
  job.status === 'settling' || job.status === 'settled'
export const isEnded = (job: Job): job is EndedJob =>
  job.status === 'failed' || job.status === 'refunded'

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
    case 'LockConfirmed':
      return withEscrow(job, { at: 'locked', tx: event.tx, block: event.block })
    case 'LockRefused':
      return withEscrow(job, { at: 'never' })
    case 'RefundConfirmed':
      return returned(job, event.tx, event.block)
    case 'SettlementConfirmed':
      assert(isCompleted(job), 'only a completed job settles')
      return {
        ...job,
        status: 'settled',
        charged: event.charged,
        settlement: { tx: event.tx, block: event.block },
      }
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
  { type: 'OfferMade' | 'OfferFailed' | 'WorkerAssigned' | 'CancelRequested' | 'JobCompleted' }
>

function evolveRunning(job: RunningJob, event: RunningEvent): Job {
  switch (event.type) {
    case 'OfferMade': {
      const number = job.attempts + 1
      const attempt = { number, poolId: event.poolId, worker: null }
      return { ...job, status: 'pending', attempt, attempts: number }
    }
    case 'OfferFailed':
      return offerFailed(job, event.excludePool)
    case 'WorkerAssigned': {
      assert(job.attempt, 'a worker is assigned to an offer')
      const worker = { address: event.worker, id: event.workerId }
      return { ...job, status: 'processing', attempt: { ...job.attempt, worker } }
    }
    case 'CancelRequested':
      return { ...job, cancelled: true }
    case 'JobCompleted':
      return completed(job, event)
    default:
      return unreachable(event)
  }
}

function offerFailed(job: RunningJob, excludePool: boolean): RunningJob {
  const { attempt } = job
  assert(attempt, 'an offer failed that was made')
  return {
    ...job,
    status: 'pending',
    attempt: null,
    excludeWorkers: attempt.worker
      ? [...job.excludeWorkers, attempt.worker.address]
      : job.excludeWorkers,
    excludePools: excludePool ? [...job.excludePools, attempt.poolId] : job.excludePools,
  }
}

function completed(
  job: RunningJob,
  event: Extract<JobEvent, { type: 'JobCompleted' }>,
): CompletedJob {
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
  refusal: Refusal,
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

import { minCredits } from '../../src/domain/credits.ts'
import type { Address } from '../../src/domain/ids.ts'
import { priceOf } from '../../src/domain/pricing.ts'
import { assert, unreachable } from '../../src/domain/result.ts'
import type { UnixMs } from '../../src/domain/time.ts'
import type { SettlingJob } from './completed.ts'
import type { JobEvent } from './events.ts'
import type { AssignedWorker, Escrow, JobTerms } from './terms.ts'

/** A job whose caller waits for an answer: what is left is who gives it. */
export interface RunningJob {
  readonly status: 'pending' | 'processing'
  readonly terms: JobTerms
  readonly escrow: Escrow
  /**
   * The pool that gets the first offer, chosen before the lock is asked for. So whoever runs the job
   * makes that offer to this one, and a host need not write that it does before it does.
   */
  readonly firstPoolId?: string
  readonly attempt: Attempt | null
  readonly attempts: number
  /** Workers and pools that this job is not offered to again. */
  readonly excludeWorkers: readonly Address[]
  readonly excludePools: readonly string[]
  /** A worker has failed it, and not for want of room alone. */
  readonly hasFault?: true
  /** It has lost the worker that it had. */
  readonly lostWorker?: Address
  /** Up to so many tokens of context were too few. */
  readonly contextAbove?: number
  /** The caller hung up: what was generated is settled, nothing is tried again. */
  readonly cancelled: boolean
  /** When another edge began to wait for it; absent while that is the one that began it. */
  readonly joinedAt?: UnixMs
}

/** One try to have a worker run the job. */
export interface Attempt {
  /** From 1. */
  readonly number: number
  readonly poolId: string
  readonly worker: AssignedWorker | null
}

/** Who runs it, or ran it last; null: no worker has taken it yet. */
export const lastWorkerOf = ({ attempt, lostWorker }: RunningJob): Address | null =>
  attempt?.worker?.address ?? lostWorker ?? null

/** The pool that may be running it. The first one may be before that is written. */
export const poolOf = ({ attempt, attempts, firstPoolId }: RunningJob): string | null =>
  attempt?.poolId ?? (attempts === 0 ? firstPoolId : undefined) ?? null

export function started(terms: JobTerms, firstPoolId?: string): RunningJob {
  return {
    status: 'pending',
    terms,
    escrow: { at: 'asked' },
    ...(firstPoolId === undefined ? {} : { firstPoolId }),
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

/** What only a running job lives through, its answer included. */
export function evolveRunning(job: RunningJob, event: RunningEvent): RunningJob | SettlingJob {
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
      const { worker: address, workerId: id, takenAt } = event
      const worker = { address, id, ...(takenAt === undefined ? {} : { takenAt }) }
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
  event: Extract<JobEvent, { type: 'OfferFailed' }>,
): RunningJob {
  const { attempt } = job
  assert(attempt, 'an offer failed that was made')
  const { excludePool, workers = [], contextAbove, overloaded } = event
  const assigned = attempt.worker ? [attempt.worker.address] : []
  const isFault = !overloaded && (assigned.length > 0 || workers.length > 0)
  return {
    ...job,
    status: 'pending',
    attempt: null,
    excludeWorkers: [...new Set([...job.excludeWorkers, ...assigned, ...workers])],
    excludePools: excludePool ? [...job.excludePools, attempt.poolId] : job.excludePools,
    ...(isFault ? { hasFault: true } : {}),
    ...(attempt.worker ? { lostWorker: attempt.worker.address } : {}),
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
    // As it was assigned, unless another one was the first to answer.
    worker: attempt.worker?.address === worker ? attempt.worker : { address: worker, id: workerId },
    completedAt: at,
    charged: minCredits(priceOf(terms.tier, event.usage.completionTokens), terms.lock),
    settlement: null,
    ...proof,
  }
}

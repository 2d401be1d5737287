import { addMs, type UnixMs } from '../../src/domain/time.ts'
import type { DueEffect } from '../../src/runtime/kind.ts'
import { type CompletedJob, isMined } from './completed.ts'
import type { RunningJob } from './running.ts'
import {
  awaitsRefundHash,
  type EndedJob,
  isCompleted,
  isRunning,
  type Job,
  lockIsOpen,
} from './state.ts'
import { isBack } from './terms.ts'

/** What a job may have under way. All of it is safe to repeat. */
export type JobEffect = DueEffect &
  (
    | { readonly type: 'lock'; readonly abandon: boolean }
    | { readonly type: 'offer'; readonly poolId: string; readonly attempt: number }
    | { readonly type: 'watch_pool'; readonly poolId: string; readonly attempt: number }
    | { readonly type: 'watch_edge' }
    | { readonly type: 'stop_worker'; readonly poolId: string; readonly settle: boolean }
    | { readonly type: 'expire'; readonly at: UnixMs }
    | { readonly type: 'settle' }
    | { readonly type: 'dispute' }
    | { readonly type: 'refund' }
    | { readonly type: 'tell_edge' }
    | { readonly type: 'release' }
    | { readonly type: 'forget_prompt' }
  )

/** An intent is repeated until the chain's fact arrives: the lane that heard it may have died. */
const REPEAT_MS = 3_000
/** A caller waits for the lock, and a lock is a matter of one block: asked again sooner. */
const REPEAT_LOCK_MS = 1_000
/** How often a job looks whether its pool and its edge still live. */
const WATCH_MS = 1_000
/** By then a living edge has said so several times. */
const EDGE_HEARD_MS = 3_000
/** An answer about a timed-out job waits this long for the refund's hash, then goes without. */
const REFUND_HASH_WAIT_MS = 5_000

/**
 * What must be under way in this state. Run after each event and again after a crash, so every
 * effect is safe to repeat.
 */
export function due(job: Job): readonly JobEffect[] {
  if (job.status === 'abandoned') return [release]
  if (isRunning(job)) return dueRunning(job)
  if (isCompleted(job)) return dueCompleted(job)
  return dueEnded(job)
}

/**
 * The first offer need not wait for its record: the pool was written before the lock was asked for, so every
 * owner offers this attempt to it, and a pool takes an attempt once. It comes sooner by one append.
 */
export function dueAhead(before: Job, after: Job): readonly JobEffect[] {
  if (!isRunning(before) || !isRunning(after)) return []
  const isFirst = before.attempts === 0 && after.attempt?.poolId === before.firstPoolId
  return isFirst ? offers(after) : []
}

/** Nothing is due any more, so the actor may be forgotten. */
export function rests(job: Job): boolean {
  switch (job.status) {
    case 'abandoned':
      return true
    case 'settled':
      return !lockIsOpen(job)
    case 'upheld':
      return job.escrow.at === 'locked'
    // Arbitration takes a day; its end is a command, and wakes the actor.
    case 'disputed':
      return job.settlement !== null && isMined(job.dispute) && !lockIsOpen(job)
    case 'failed':
    case 'refunded':
      return job.escrow.at === 'never' || isBack(job.escrow)
    default:
      return false
  }
}

function dueRunning(job: RunningJob): readonly JobEffect[] {
  const { createdAt, deadlineAt } = job.terms
  const expire: JobEffect = {
    key: 'expire',
    type: 'expire',
    at: deadlineAt,
    notBefore: deadlineAt,
    withinMs: deadlineAt - createdAt,
  }
  const watched = job.cancelled ? [expire] : [expire, watchEdge(job)]
  if (lockIsOpen(job)) watched.push(lock(false))
  if (!job.attempt) return watched
  const { number: attempt, poolId } = job.attempt
  const effects: JobEffect[] = [
    ...watched,
    {
      key: `watch_pool.${attempt}`,
      type: 'watch_pool',
      poolId,
      attempt,
      everyMs: WATCH_MS,
    },
  ]
  if (job.cancelled) effects.push(stopWorker(poolId, true))
  else effects.push(...offers(job))
  return effects
}

function offers({ status, attempt }: RunningJob): JobEffect[] {
  if (status !== 'pending' || !attempt) return []
  const { number, poolId } = attempt
  return [{ key: `offer.${number}`, type: 'offer', poolId, attempt: number }]
}

function dueCompleted(job: CompletedJob): readonly JobEffect[] {
  // The lock is long over: what is asked for is its transaction.
  if (job.escrow.at === 'asked') return [lock(true)]
  if (job.settlement === null) {
    const settle: JobEffect = { key: 'settle', type: 'settle', everyMs: REPEAT_MS }
    return [tellEdge, settle, ...(lockIsOpen(job) ? [lock(false)] : [])]
  }
  // Gone with the chain's last blocks. Once it is back, the keeper finds it, and asks for the settlement.
  if (lockIsOpen(job) && job.status !== 'upheld') return [lock(false)]
  // The contract opens a dispute of a settled job only.
  if (job.status === 'disputed' && !isMined(job.dispute)) {
    return [{ key: 'dispute', type: 'dispute', everyMs: REPEAT_MS }]
  }
  return []
}

function dueEnded(job: EndedJob): readonly JobEffect[] {
  const { escrow } = job
  const effects: JobEffect[] = [forgetPrompt, answer(job)]
  if (job.poolId) effects.push(stopWorker(job.poolId, false))
  if (lockIsOpen(job)) effects.push(lock(true))
  if (escrow.at === 'never') effects.push(release)
  // Not of a lock that is in no block: the contract would pass it over, for gas, again and again.
  const isLocked = escrow.at === 'locked' && !lockIsOpen(job)
  if (isLocked || (escrow.at === 'returned' && !isBack(escrow))) {
    effects.push({ key: 'refund', type: 'refund', everyMs: REPEAT_MS })
  }
  return effects
}

/** A timeout's answer names the refund: it waits for the hash, but not for ever. */
function answer(job: EndedJob): JobEffect {
  return awaitsRefundHash(job)
    ? {
        ...tellEdge,
        key: 'tell_edge.late',
        notBefore: addMs(job.endedAt, REFUND_HASH_WAIT_MS),
        withinMs: REFUND_HASH_WAIT_MS,
      }
    : tellEdge
}

/**
 * A caller whose edge has died hears nothing any more: as if it had hung up. An edge that has just
 * started may not have been heard of by the time of its first job.
 */
const watchEdge = ({ terms, joinedAt }: RunningJob): JobEffect => ({
  key: joinedAt === undefined ? 'watch_edge' : `watch_edge.${joinedAt}`,
  type: 'watch_edge',
  everyMs: WATCH_MS,
  notBefore: addMs(joinedAt ?? terms.createdAt, EDGE_HEARD_MS),
  withinMs: EDGE_HEARD_MS,
})
const tellEdge: JobEffect = { key: 'tell_edge', type: 'tell_edge' }
/** It may have ended before the first offer. */
const forgetPrompt: JobEffect = { key: 'forget_prompt', type: 'forget_prompt' }
const release: JobEffect = { key: 'release', type: 'release' }
const lock = (abandon: boolean): JobEffect => ({
  key: `lock.${abandon}`,
  type: 'lock',
  abandon,
  everyMs: REPEAT_LOCK_MS,
})
const stopWorker = (poolId: string, settle: boolean): JobEffect => ({
  key: `stop_worker.${settle}`,
  type: 'stop_worker',
  poolId,
  settle,
})

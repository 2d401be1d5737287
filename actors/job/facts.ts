import type { JobHappening } from '../../src/messages/job-fact.ts'
import { isMined, isProven } from './completed.ts'
import { lastWorkerOf } from './running.ts'
import { type BegunJob, type EndedJob, isCompleted, isRunning, type Job } from './state.ts'
import { isBack, reasonOf } from './terms.ts'

/**
 * What has happened to a job by this state, in the order in which it did. Whoever tells the world
 * outside tells what it has not told yet: a state may be the first that is seen of a job.
 */
export function happeningsOf(job: Job): readonly JobHappening[] {
  if (job.status === 'abandoned') return []
  const before: JobHappening[] = [
    ...(isLocked(job) ? [{ type: 'job.submitted' } as const] : []),
    ...(wasTaken(job) ? [{ type: 'job.processing' } as const] : []),
  ]
  if (isRunning(job)) return before
  if (!isCompleted(job)) return [...before, ...ending(job)]
  // Of an answer that the journal has lost nobody can say all that would have to be told.
  if (!isProven(job)) return []
  // By the time of its verdict, a day later, everything was told: saying it again would be noise.
  if (job.status === 'upheld' || (job.status === 'settled' && job.dispute?.end === 'rejected')) {
    return []
  }
  if (job.settlement) before.push({ type: 'job.completed' })
  const isDisputed = job.status === 'disputed' && isMined(job.dispute)
  return isDisputed ? [...before, { type: 'job.disputed' }] : before
}

/** The credits are in escrow by a block, and not only by word of the lane that sent the lock. */
function isLocked(job: BegunJob): boolean {
  const { escrow } = job
  if (isCompleted(job) && job.settlement) return true
  return escrow.at === 'locked' ? escrow.block !== 0 : escrow.at === 'returned'
}

function wasTaken(job: BegunJob): boolean {
  if (isRunning(job)) return lastWorkerOf(job) !== null
  return isCompleted(job) || job.worker !== null
}

/** Told once the credits are back, so that the refund's transaction can be named. */
function ending(job: EndedJob): readonly JobHappening[] {
  const { escrow, refusal } = job
  if (escrow.at !== 'never' && !isBack(escrow)) return []
  return job.status === 'refunded'
    ? [{ type: 'job.timeout' }]
    : [{ type: 'job.failed', reason: reasonOf(refusal) }]
}

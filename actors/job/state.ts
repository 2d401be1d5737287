import type { Address, JobId, TxHash } from '../../src/domain/ids.ts'
import { assert } from '../../src/domain/result.ts'
import type { UnixMs } from '../../src/domain/time.ts'
import { type CompletedJob, evolveCompleted, type SettledJob } from './completed.ts'
import type { JobEvent } from './events.ts'
import { evolveRunning, lastWorkerOf, poolOf, type RunningJob, started } from './running.ts'
import type { Escrow, JobRefusal, JobTerms, LockedEscrow } from './terms.ts'

/** A job: what it was asked, where its credits are, and what is left to happen. */
export type Job = BegunJob | AbandonedJob
export type BegunJob = RunningJob | CompletedJob | EndedJob

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
  /**
   * As it was before its settlement was refused or its lock taken back: what is paid for where the chain
   * goes back behind that, and settles the job after all. Absent: no worker had proved an answer.
   */
  readonly answered?: CompletedJob
}

/** A tombstone: the credits were given back before the job began, so it can never begin. */
export interface AbandonedJob {
  readonly status: 'abandoned'
  readonly id: JobId
  readonly wallet: Address
}

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
export const lockIsOpen = ({ escrow }: BegunJob): boolean =>
  escrow.at === 'asked' || (escrow.at === 'locked' && escrow.block === 0)

export function evolve(job: Job | undefined, event: JobEvent): Job {
  if (event.type === 'JobStarted') return started(event.terms, event.poolId)
  if (event.type === 'JobAbandoned') {
    return { status: 'abandoned', id: event.jobId, wallet: event.wallet }
  }
  assert(job && job.status !== 'abandoned', `${event.type} of a job that never began`)
  switch (event.type) {
    case 'LockConfirmed': {
      if (!isCompleted(job) && job.escrow.at === 'returned') {
        return withEscrow(job, { ...job.escrow, tx: event.tx })
      }
      const escrow: LockedEscrow = { at: 'locked', tx: event.tx, block: event.block }
      return isCompleted(job) ? { ...job, escrow } : withEscrow(job, escrow)
    }
    case 'LockRefused':
      return withEscrow(job, { at: 'never' })
    case 'RefundConfirmed':
      return returned(job, event.tx, event.block)
    case 'SettlementConfirmed':
      return evolveCompleted(isEnded(job) ? answeredAgain(job) : asCompleted(job, event), event)
    case 'JobDisputed':
    case 'DisputeConfirmed':
    case 'DisputeRefused':
    case 'DisputeResolved':
      return evolveCompleted(asCompleted(job, event), event)
    case 'SettlementFound':
      assert(!isCompleted(job), 'the answer of a completed job is known')
      return found(job, event)
    case 'JobFailed':
      return ended(job, 'failed', event.refusal, event.at)
    case 'JobExpired':
      return ended(job, 'refunded', event.refusal, event.at)
    default:
      assert(isRunning(job), `${event.type} of a job that has ended`)
      return evolveRunning(job, event)
  }
}

function asCompleted(job: Job, { type }: JobEvent): CompletedJob {
  assert(isCompleted(job), `${type} of a job without an answer`)
  return job
}

/** Under the lock that was seen last: the chain may have gone back behind that one, too. */
function answeredAgain({ answered, escrow }: EndedJob): CompletedJob {
  assert(answered, 'a settlement of a job without an answer')
  if (escrow.at === 'locked') return { ...answered, escrow }
  const tx = escrow.at === 'returned' ? escrow.tx : null
  if (tx === null || answered.escrow.at === 'asked') return answered
  return { ...answered, escrow: { ...answered.escrow, tx } }
}

function ended(
  job: BegunJob,
  status: EndedJob['status'],
  refusal: JobRefusal,
  endedAt: UnixMs,
): EndedJob {
  return {
    status,
    terms: job.terms,
    escrow: job.escrow,
    worker: isCompleted(job) ? job.worker.address : isRunning(job) ? lastWorkerOf(job) : job.worker,
    poolId: isRunning(job) ? poolOf(job) : null,
    refusal,
    endedAt,
    ...(isCompleted(job) ? { answered: job } : {}),
  }
}

/** The credits that an older copy of the journal has elsewhere went into this settlement. */
function found(
  job: RunningJob | EndedJob,
  { tx, block, charged, answer }: Extract<JobEvent, { type: 'SettlementFound' }>,
): SettledJob {
  const { terms, escrow } = job
  const assigned = isRunning(job) ? job.attempt?.worker : null
  const address = assigned?.id === answer.workerId ? assigned.address : null
  return {
    status: 'settled',
    terms,
    escrow: escrow.at === 'locked' ? escrow : { at: 'asked' },
    worker: { address, id: answer.workerId },
    usage: null,
    completedAt: null,
    outputHash: answer.outputHash,
    charged,
    settlement: { tx, block },
  }
}

function withEscrow(job: BegunJob, escrow: Escrow): Job {
  assert(!isCompleted(job), 'the escrow of a completed job is settled')
  return { ...job, escrow }
}

function returned(job: BegunJob, refundTx: TxHash, refundBlock: number | null): Job {
  const tx = job.escrow.at === 'locked' || job.escrow.at === 'returned' ? job.escrow.tx : null
  return withEscrow(job, { at: 'returned', tx, refundTx, refundBlock })
}

import type { Refusal } from '../../src/domain/errors.ts'
import { unreachable } from '../../src/domain/result.ts'
import type {
  AssignWorker,
  CancelJob,
  CompleteJob,
  ConfirmLock,
  ConfirmRefund,
  ConfirmSettlement,
  ExpireJob,
  FailWorker,
  JobCommand,
  RefuseLock,
  RefuseOffer,
  RefuseSettlement,
  StartJob,
} from '../../src/messages/job.ts'
import { accept, type Decision, nothing, refuse } from '../../src/runtime/kind.ts'
import {
  cancelled,
  failureRefusal,
  lockRefusal,
  noWorker,
  refundedOnChain,
  settlementRefusal,
  timeout,
  tooManyAttempts,
  tornAnswer,
} from './refusals.ts'
import {
  isCompleted,
  isEnded,
  isRunning,
  type Job,
  type JobEvent,
  lockIsOpen,
  type RunningJob,
} from './state.ts'

/** What a decision may know of the world besides the job. */
export interface World {
  /** The pool to offer the job to next; undefined when none has a worker for it. */
  choosePool(model: string, excludePools: readonly string[]): string | undefined
}

/** A job is offered at most this often: each try costs the caller time. */
const ATTEMPTS_MAX = 6

/** What one job may do next. Pure: time arrives in `command.at`. */
export function decide(
  job: Job | undefined,
  command: JobCommand,
  world: World,
): Decision<JobEvent> {
  if (!job) return decideFirst(command)
  // A tombstone answers nobody: its credits went back before it began.
  if (job.status === 'abandoned') return refuse('the job was abandoned before it began')
  switch (command.type) {
    case 'StartJob':
    case 'AbandonJob':
    case 'GetJob':
      return nothing
    case 'ConfirmLock':
      return decideConfirmLock(job, command, world)
    case 'RefuseLock':
      return decideRefuseLock(job, command)
    case 'AssignWorker':
      return decideAssign(job, command)
    case 'RefuseOffer':
      return decideRefuseOffer(job, command, world)
    case 'FailWorker':
      return decideFailWorker(job, command, world)
    case 'CompleteJob':
      return decideComplete(job, command)
    case 'CancelJob':
      return decideCancel(job, command)
    case 'ExpireJob':
      return decideExpire(job, command)
    case 'ConfirmSettlement':
      return decideConfirmSettlement(job, command)
    case 'RefuseSettlement':
      return decideRefuseSettlement(job, command)
    case 'ConfirmRefund':
      return decideConfirmRefund(job, command)
    default:
      return unreachable(command)
  }
}

function decideFirst(command: JobCommand): Decision<JobEvent> {
  switch (command.type) {
    case 'StartJob':
      return accept({ type: 'JobStarted', terms: termsOf(command) })
    case 'AbandonJob':
      return accept({ type: 'JobAbandoned', jobId: command.jobId, wallet: command.wallet })
    default:
      return nothing
  }
}

function termsOf({ type: _, jobId, at, ...rest }: StartJob) {
  return { id: jobId, createdAt: at, ...rest }
}

function decideConfirmLock(job: Job, command: ConfirmLock, world: World): Decision<JobEvent> {
  const { tx, block, at } = command
  const confirmed: JobEvent = { type: 'LockConfirmed', tx, block }
  // The job ended while its lock was on the way: known now, it is refunded.
  if (isEnded(job)) {
    return job.escrow.at === 'asked' || job.escrow.at === 'never' ? accept(confirmed) : nothing
  }
  if (!isRunning(job)) return nothing
  if (job.escrow.at === 'locked') {
    // Told at broadcast first, and now with the block, or with the hash that was mined instead.
    const same = job.escrow.tx === tx && job.escrow.block === block
    return same || block === 0 ? nothing : accept(confirmed)
  }
  return accept(confirmed, ...route(job, at, world))
}

/** Offers the job to a pool, or ends it where there is none. */
function route(
  job: RunningJob,
  at: FailWorker['at'],
  world: World,
  otherwise: Refusal = noWorker(job),
  excludePools: readonly string[] = job.excludePools,
): [JobEvent] {
  const { model } = job.terms
  const poolId = world.choosePool(model, excludePools)
  if (poolId !== undefined) return [{ type: 'OfferMade', poolId }]
  // Whatever went wrong before: a model that nobody serves any more is a lack of workers.
  const servedElsewhere = world.choosePool(model, []) !== undefined
  return [{ type: 'JobFailed', refusal: servedElsewhere ? otherwise : noWorker(job), at }]
}

function decideRefuseLock(job: Job, { reason, at }: RefuseLock): Decision<JobEvent> {
  if (job.status === 'abandoned' || job.status === 'settled' || !lockIsOpen(job)) return nothing
  if (isEnded(job)) return accept({ type: 'LockRefused' })
  // Told at broadcast, the lock let a worker begin, and perhaps finish; it will not be paid.
  return accept<JobEvent>(
    { type: 'JobFailed', refusal: lockRefusal(job, reason), at },
    { type: 'LockRefused' },
  )
}

/** The running job if `command` speaks of the attempt that is under way. */
function inAttempt(job: Job, { attempt }: { attempt: number }): RunningJob | undefined {
  return isRunning(job) && job.attempt?.number === attempt ? job : undefined
}

function decideAssign(job: Job, command: AssignWorker): Decision<JobEvent> {
  const running = inAttempt(job, command)
  if (!running || running.attempt?.worker?.address === command.worker) return nothing
  return accept({
    type: 'WorkerAssigned',
    worker: command.worker,
    workerId: command.workerId,
  })
}

function decideRefuseOffer(job: Job, command: RefuseOffer, world: World): Decision<JobEvent> {
  const running = inAttempt(job, command)
  if (!running?.attempt) return nothing
  const { at } = command
  const failed: JobEvent = { type: 'OfferFailed', excludePool: true }
  if (running.cancelled) return accept<JobEvent>({ type: 'JobFailed', refusal: cancelled(), at })
  // A job that some worker failed did not run out of workers: it ran into a fault.
  const otherwise = running.excludeWorkers.length > 0 ? tooManyAttempts() : noWorker(running)
  const exclude = [...running.excludePools, running.attempt.poolId]
  return accept(failed, ...route(running, at, world, otherwise, exclude))
}

function decideFailWorker(job: Job, command: FailWorker, world: World): Decision<JobEvent> {
  const running = inAttempt(job, command)
  if (!running?.attempt) return nothing
  const { reason, at } = command
  const fail = (refusal: Refusal): Decision<JobEvent> => accept({ type: 'JobFailed', refusal, at })
  if (running.cancelled || reason === 'cancelled') return fail(cancelled())
  if (reason === 'context_length_exceeded' || reason === 'prompt_refused') {
    return fail(failureRefusal(running, command))
  }
  // Once text of a stream left for the caller, another worker cannot go on in its place.
  if (command.textSent && running.terms.stream) return fail(failureRefusal(running, command))
  if (running.attempts >= ATTEMPTS_MAX) return fail(tooManyAttempts())
  const excludePool = reason === 'pool_gone' || reason === 'no_worker'
  const otherwise = reason === 'no_worker' ? noWorker(running) : failureRefusal(running, command)
  const exclude = excludePool
    ? [...running.excludePools, running.attempt.poolId]
    : running.excludePools
  return accept(
    { type: 'OfferFailed', excludePool },
    ...route(running, at, world, otherwise, exclude),
  )
}

function decideComplete(job: Job, command: CompleteJob): Decision<JobEvent> {
  const running = inAttempt(job, command)
  if (!running) return nothing
  // A worker that finishes after the window is not paid.
  if (command.at >= running.terms.deadlineAt) {
    return accept({ type: 'JobExpired', refusal: timeout(running), at: command.at })
  }
  const { type: _, jobId: _id, attempt: _attempt, completedAt, ...proof } = command
  return accept({ type: 'JobCompleted', ...proof, signedAt: completedAt })
}

function decideCancel(job: Job, { torn, at }: CancelJob): Decision<JobEvent> {
  if (!isRunning(job)) return nothing
  if (torn) return accept({ type: 'JobFailed', refusal: tornAnswer(), at })
  if (job.cancelled) return nothing
  if (!job.attempt) return accept({ type: 'JobFailed', refusal: cancelled(), at })
  return accept({ type: 'CancelRequested' })
}

function decideExpire(job: Job, { at }: ExpireJob): Decision<JobEvent> {
  // Timers fire at least once; a job no longer waiting on a worker has nothing to say.
  if (!isRunning(job) || at < job.terms.deadlineAt) return nothing
  return accept({ type: 'JobExpired', refusal: timeout(job), at })
}

function decideConfirmSettlement(job: Job, command: ConfirmSettlement): Decision<JobEvent> {
  if (!isCompleted(job)) return nothing
  const { tx, block, charged } = command
  // Told again with another block: the chain went back, and the settlement was included anew.
  if (job.settlement?.tx === tx && job.settlement.block === block) return nothing
  return accept({ type: 'SettlementConfirmed', tx, block, charged })
}

function decideRefuseSettlement(job: Job, { reason, at }: RefuseSettlement): Decision<JobEvent> {
  if (job.status !== 'settling') return nothing
  return accept({ type: 'JobFailed', refusal: settlementRefusal(reason), at })
}

function decideConfirmRefund(job: Job, { tx, block, at }: ConfirmRefund): Decision<JobEvent> {
  const confirmed: JobEvent = { type: 'RefundConfirmed', tx, block }
  if (isEnded(job)) {
    const { escrow } = job
    if (escrow.at === 'returned' && (escrow.refundBlock !== null || block === null)) return nothing
    return accept(confirmed)
  }
  // Anyone may refund an expired lock. The chain has spoken: the job cannot be paid any more.
  if (block === null || job.status === 'settled' || job.status === 'abandoned') return nothing
  return accept<JobEvent>({ type: 'JobFailed', refusal: refundedOnChain(), at }, confirmed)
}

import { unreachable } from '../../src/domain/result.ts'
import type {
  AssignWorker,
  CancelJob,
  CompleteJob,
  ConfirmLock,
  ConfirmRefund,
  ConfirmSettlement,
  ExpireJob,
  JobCommand,
  JoinJob,
  RefuseLock,
  RefuseSettlement,
  StartJob,
} from '../../src/messages/job.ts'
import { findsNoLock } from '../../src/messages/lane.ts'
import { accept, behind, type Decision, nothing, refuse } from '../../src/runtime/kind.ts'
import {
  decideConfirmDispute,
  decideDispute,
  decideRefuseDispute,
  decideResolveDispute,
} from './disputes.ts'
import type { JobEvent } from './events.ts'
import { decideFailWorker, decideRefuseOffer, inAttempt, otherAttempt, route } from './offers.ts'
import {
  cancelled,
  lockRefusal,
  refundedOnChain,
  settlementRefusal,
  timeout,
  tornAnswer,
} from './refusals.ts'
import {
  type BegunJob,
  type EndedJob,
  isCompleted,
  isEnded,
  isPaid,
  isRunning,
  type Job,
  lockIsOpen,
} from './state.ts'
import type { World } from './world.ts'

/**
 * What one job may do next. Pure: time arrives in `command.at`, and `world.choosePool` alone looks at the
 * pools of this moment, and draws.
 */
export function decide(
  job: Job | undefined,
  command: JobCommand,
  world: World,
): Decision<JobEvent> {
  if (!job) return decideFirst(command)
  if (job.status === 'abandoned') return decideAbandoned(command)
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
    case 'JoinJob':
      return decideJoin(job, command)
    case 'DisputeJob':
      return decideDispute(job, command, world.disputeWindowMs)
    case 'ConfirmDispute':
      return decideConfirmDispute(job, command)
    case 'RefuseDispute':
      return decideRefuseDispute(job, command)
    case 'ResolveDispute':
      return decideResolveDispute(job, command)
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
      // Whoever says this has heard of the job: another owner may have begun it.
      return behind
  }
}

/** A tombstone answers nobody: its credits went back before it began. */
function decideAbandoned({ type }: JobCommand): Decision<JobEvent> {
  const asCaller = type === 'JoinJob' || type === 'DisputeJob'
  return refuse(asCaller ? 'job_not_found' : 'the job was abandoned before it began')
}

/** What the key is shown by is a secret: nothing that is kept. */
function termsOf({ type: _, key: _key, jobId, at, ...rest }: StartJob) {
  return { id: jobId, createdAt: at, ...rest }
}

function decideConfirmLock(job: BegunJob, command: ConfirmLock, world: World): Decision<JobEvent> {
  const { tx, block, at } = command
  const confirmed: JobEvent = { type: 'LockConfirmed', tx, block }
  // The job ended while its lock was on the way: known now, it is refunded.
  if (isEnded(job)) {
    return job.escrow.at === 'asked' || job.escrow.at === 'never' ? accept(confirmed) : nothing
  }
  if (isCompleted(job) && job.escrow.at === 'asked') return accept(confirmed)
  if (job.escrow.at === 'locked') {
    // Told at broadcast first, and now with the block, or with the hash that was mined instead.
    const same = job.escrow.tx === tx && job.escrow.block === block
    return same || block === 0 ? nothing : accept(confirmed)
  }
  return isRunning(job) ? accept(confirmed, ...route(job, at, world)) : nothing
}

function decideRefuseLock(job: BegunJob, command: RefuseLock): Decision<JobEvent> {
  const { reason, at, final } = command
  // A job that waits for its lock hears the end from the lane: it may be on its way once more.
  if (final && !isPaid(job)) return nothing
  if (isEnded(job)) return mayRefuse(job, reason) ? accept({ type: 'LockRefused' }) : nothing
  if (isPaid(job) ? !isUndone(job, command) : !lockIsOpen(job)) return nothing
  // Told at broadcast, the lock let a worker begin, and perhaps finish; it will not be paid.
  return accept<JobEvent>(
    { type: 'JobFailed', refusal: lockRefusal(job, reason), at },
    { type: 'LockRefused' },
  )
}

/**
 * The chain went back behind the settlement, and on the other branch the wallet's credits went elsewhere
 * before the lock came again: nobody is charged, and nobody is paid.
 */
const isUndone = (job: BegunJob, command: RefuseLock): boolean =>
  command.reason === 'InsufficientCredits' &&
  command.block !== undefined &&
  job.status === 'settled' &&
  isLater(command, command.block, job.settlement.block)

/** A lock that was seen in a block, and is gone: known once its refund finds nothing to give back. */
function mayRefuse(job: EndedJob, reason: string): boolean {
  const { escrow } = job
  // Its refund may be told of at broadcast, before it finds nothing.
  const isRefunding =
    escrow.at === 'locked' || (escrow.at === 'returned' && escrow.refundBlock === null)
  return lockIsOpen(job) || (isRefunding && findsNoLock(reason))
}

function decideAssign(job: BegunJob, command: AssignWorker): Decision<JobEvent> {
  const running = inAttempt(job, command)
  if (!running) return otherAttempt(job, command)
  if (running.attempt?.worker?.address === command.worker) return nothing
  return accept({
    type: 'WorkerAssigned',
    worker: command.worker,
    workerId: command.workerId,
  })
}

function decideComplete(job: BegunJob, command: CompleteJob): Decision<JobEvent> {
  const running = inAttempt(job, command)
  if (!running) return otherAttempt(job, command)
  // A worker that finishes after the window is not paid.
  if (command.at >= running.terms.deadlineAt) {
    return accept({ type: 'JobExpired', refusal: timeout(running), at: command.at })
  }
  const { worker, workerId, usage, finishReason, outputHash, chunks, signature, at } = command
  const { completedAt: signedAt, takenAt } = command
  // Each by its name: what else a pool may say is none of the job's own figures.
  const completed: JobEvent = {
    type: 'JobCompleted',
    worker,
    workerId,
    usage,
    finishReason,
    outputHash,
    chunks,
    signedAt,
    signature,
    at,
  }
  // Whoever answers at once may not have been told of before.
  if (running.attempt?.worker) return accept(completed)
  const taken = takenAt === undefined ? {} : { takenAt }
  return accept<JobEvent>({ type: 'WorkerAssigned', worker, workerId, ...taken }, completed)
}

function decideCancel(job: BegunJob, { torn, unseen, replyTo, at }: CancelJob): Decision<JobEvent> {
  if (!isRunning(job)) return nothing
  // Somebody else waits for it by now.
  if (replyTo !== undefined && replyTo !== job.terms.replyTo) return nothing
  if (torn) {
    const refusal = unseen ? cancelled() : tornAnswer()
    return accept({ type: 'JobFailed', refusal, at })
  }
  if (job.cancelled) return nothing
  if (!job.attempt) return accept({ type: 'JobFailed', refusal: cancelled(), at })
  return accept({ type: 'CancelRequested' })
}

/** One that has an end says so in its reply; only what is still to come needs the new address. */
function decideJoin(job: BegunJob, { wallet, replyTo, at }: JoinJob): Decision<JobEvent> {
  if (wallet !== job.terms.wallet) return refuse('job_not_found')
  if (!isRunning(job) || replyTo === job.terms.replyTo) return nothing
  return accept({ type: 'JobJoined', replyTo, at })
}

function decideExpire(job: BegunJob, { at }: ExpireJob): Decision<JobEvent> {
  // Timers fire at least once; a job no longer waiting on a worker has nothing to say.
  if (!isRunning(job) || at < job.terms.deadlineAt) return nothing
  return accept({ type: 'JobExpired', refusal: timeout(job), at })
}

function decideConfirmSettlement(job: BegunJob, command: ConfirmSettlement): Decision<JobEvent> {
  const { tx, block, charged, answer } = command
  // The chain went back behind what ended the job, and paid its worker instead.
  if (isEnded(job) && job.answered) {
    const { escrow } = job
    const refundBlock = escrow.at === 'returned' ? escrow.refundBlock : null
    const isLate = refundBlock !== null && !isLater(command, block, refundBlock)
    return isLate ? nothing : accept({ type: 'SettlementConfirmed', tx, block, charged })
  }
  // The journal is an older copy, of before the answer: the chain has spoken all the same.
  if (!isCompleted(job)) {
    return answer ? accept({ type: 'SettlementFound', tx, block, charged, answer }) : nothing
  }
  // Told again with another block: the chain went back, and the settlement was included anew.
  if (job.settlement?.tx === tx && job.settlement.block === block) return nothing
  return accept({ type: 'SettlementConfirmed', tx, block, charged })
}

/**
 * No lock ends twice. Where it ends otherwise than was seen, the chain has gone back behind that: to
 * any block. What is told late is told of an earlier one.
 */
const isLater = ({ final }: Pick<ConfirmRefund, 'final'>, block: number, seen: number): boolean =>
  final === true || block > seen

/** Arbitration takes longer than any chain goes back. */
const isPaidFor = (job: BegunJob, command: ConfirmRefund, block: number): boolean =>
  isCompleted(job) &&
  job.settlement !== null &&
  (!isLater(command, block, job.settlement.block) ||
    ('dispute' in job && 'resolution' in job.dispute))

function decideRefuseSettlement(
  job: BegunJob,
  { reason, at }: RefuseSettlement,
): Decision<JobEvent> {
  // A dispute that was kept until then has nothing left to contest.
  if (!isCompleted(job) || isPaid(job)) return nothing
  const { escrow } = job
  if (escrow.at !== 'locked' || !findsNoLock(reason)) {
    return accept({ type: 'JobFailed', refusal: settlementRefusal(reason), at })
  }
  // The chain went back behind the lock. It is open again: the lock lane is asked, and has the last word.
  return lockIsOpen(job) ? nothing : accept({ type: 'LockConfirmed', tx: escrow.tx, block: 0 })
}

function decideConfirmRefund(job: BegunJob, command: ConfirmRefund): Decision<JobEvent> {
  const { tx, block, at } = command
  const confirmed: JobEvent = { type: 'RefundConfirmed', tx, block }
  if (isEnded(job)) {
    const { escrow } = job
    if (escrow.at !== 'returned') return accept(confirmed)
    // Told at broadcast first. Told with another block: the chain went back.
    const same = escrow.refundTx === tx && escrow.refundBlock === block
    return same || block === null ? nothing : accept(confirmed)
  }
  // Anyone may refund an expired lock. The chain has spoken: the job cannot be paid any more.
  if (block === null || isPaidFor(job, command, block)) return nothing
  // A lock is older than any window by then: no worker finished in time.
  if (isRunning(job) && at >= job.terms.deadlineAt) {
    return accept<JobEvent>({ type: 'JobExpired', refusal: timeout(job), at }, confirmed)
  }
  return accept<JobEvent>({ type: 'JobFailed', refusal: refundedOnChain(), at }, confirmed)
}

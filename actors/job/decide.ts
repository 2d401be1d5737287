import { unreachable } from '../../src/domain/result.ts'
import type {
  AssignWorker,
  CancelJob,
  CompleteJob,
  ExpireJob,
  JobCommand,
  JoinJob,
  StartJob,
} from '../../src/messages/job.ts'
import { accept, behind, type Decision, nothing, refuse } from '../../src/runtime/kind.ts'
import {
  decideConfirmDispute,
  decideDispute,
  decideRefuseDispute,
  decideResolveDispute,
} from './disputes.ts'
import {
  decideConfirmLock,
  decideConfirmRefund,
  decideConfirmSettlement,
  decideRefuseLock,
  decideRefuseSettlement,
} from './escrow.ts'
import type { JobEvent } from './events.ts'
import { decideFailWorker, decideRefuseOffer, inAttempt, otherAttempt } from './offers.ts'
import { cancelled, timeout, tornAnswer } from './refusals.ts'
import { type BegunJob, isRunning, type Job } from './state.ts'
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
  if (!job) return decideFirst(command, world)
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

function decideFirst(command: JobCommand, world: World): Decision<JobEvent> {
  switch (command.type) {
    case 'StartJob': {
      const poolId = world.choosePool(command.model, [])
      const first = poolId === undefined ? {} : { poolId }
      return accept({ type: 'JobStarted', terms: termsOf(command), ...first })
    }
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

/** What the key is shown by is a secret, and so is the prompt beside it: nothing that is kept. */
function termsOf({ type: _, key: _key, jobId, at, ...rest }: StartJob) {
  return { id: jobId, createdAt: at, ...rest }
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

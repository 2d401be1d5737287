import { NO_CREDITS } from '../../src/domain/credits.ts'
import type { CompleteJob, JobCommand } from '../../src/messages/job.ts'
import type { EdgeEnding, JobReply, WordReply } from '../../src/messages/job-reply.ts'
import type { JobView } from '../../src/messages/job-view.ts'
import { type SignedCompletion, saysTheSame } from '../../src/messages/strikes.ts'
import type { Decision } from '../../src/runtime/kind.ts'
import { type CompletedJob, disputeOf, isProven, type ProvenJob } from './completed.ts'
import type { JobEvent } from './events.ts'
import { completeRefusal, lostAnswer } from './refusals.ts'
import { lastWorkerOf, type RunningJob } from './running.ts'
import {
  awaitsRefundHash,
  type BegunJob,
  type EndedJob,
  isCompleted,
  isEnded,
  isRunning,
  type Job,
} from './state.ts'

/** The answer to a command, and no more of it than is read: otherwise half of what a host says were views. */
export function answer(
  job: Job | undefined,
  decision: Decision<JobEvent>,
  command: JobCommand,
): WordReply {
  const told = reply(job, decision)
  return told.type === 'accepted' && isWord(command, told) ? { type: 'accepted' } : told
}

function isWord(command: JobCommand, { proof }: { readonly proof?: SignedCompletion }): boolean {
  switch (command.type) {
    case 'StartJob':
    case 'AssignWorker':
    case 'FailWorker':
      return true
    case 'CompleteJob':
      return proof !== undefined && saysTheSame(proof, signedBy(command))
    default:
      return false
  }
}

const signedBy = ({ outputHash, usage }: CompleteJob) => ({
  outputHash,
  outputTokens: usage.completionTokens,
})

/** The job as others may see it, and how it ended. */
export function reply(job: Job | undefined, decision: Decision<JobEvent>): JobReply {
  if (decision.type === 'refuse') {
    return { type: 'refused', reason: decision.reason, ...decision.about }
  }
  if (!job || job.status === 'abandoned') return { type: 'unknown_job' }
  const told = { type: 'accepted', view: viewOf(job), ending: askedEnding(job) } as const
  return isCompleted(job) && isProven(job)
    ? { proof: proofOf(job), workerId: job.worker.id, ...told }
    : told
}

/** A pool holds it against what else the same worker has signed. */
const proofOf = ({
  outputHash,
  usage,
  signedAt: completedAt,
  signature,
}: ProvenJob): SignedCompletion => ({
  outputHash,
  completedAt,
  signature,
  outputTokens: usage.completionTokens,
})

/** Who asks before the refund's hash is known hears of the end when it is, or when it is late. */
const askedEnding = (job: BegunJob): EdgeEnding | null =>
  isEnded(job) && awaitsRefundHash(job) ? null : endingOf(job)

/** How the job ended for the caller who waits; null while it has not. */
export function endingOf(job: Job): EdgeEnding | null {
  if (job.status === 'abandoned' || isRunning(job)) return null
  if (isEnded(job)) return failure(job)
  return isProven(job) ? completion(job) : answerLost(job)
}

function completion(job: ProvenJob): EdgeEnding {
  return {
    type: 'completed',
    jobId: job.terms.id,
    attempt: job.attempt,
    chunks: job.chunks,
    worker: job.worker.address,
    escrowTx: job.escrow.tx,
    usage: job.usage,
    finishReason: job.finishReason,
    outputHash: job.outputHash,
    charged: job.charged,
    lock: job.terms.lock,
  }
}

const answerLost = (job: CompletedJob): EdgeEnding => ({
  type: 'failed',
  jobId: job.terms.id,
  refusal: lostAnswer(job),
  escrowTx: escrowTx(job),
  worker: job.worker.address,
})

function failure(job: EndedJob): EdgeEnding {
  return {
    type: 'failed',
    jobId: job.terms.id,
    refusal: completeRefusal(job),
    escrowTx: escrowTx(job),
    worker: job.worker,
  }
}

function escrowTx({ escrow }: BegunJob): JobView['escrowTx'] {
  return escrow.at === 'locked' || escrow.at === 'returned' ? escrow.tx : null
}

/** A tombstone is nothing that anybody is shown. */
export const viewIfAny = (job: Job): JobView | undefined =>
  job.status === 'abandoned' ? undefined : viewOf(job)

export function viewOf(job: BegunJob): JobView {
  const { id, wallet, model, tier, lock, createdAt } = job.terms
  // All fields in one literal: as objects spread over one another they take 70 times as long, and a
  // view is made at each command.
  const unknown: JobView = {
    id,
    wallet,
    model,
    tier,
    lock,
    createdAt,
    status: 'pending',
    charged: NO_CREDITS,
    worker: null,
    completedAt: null,
    escrowTx: escrowTx(job),
    settlementTx: null,
    refundTx: null,
    disputeTx: null,
    disputedHash: null,
    block: null,
    proofHash: null,
    usage: null,
  }
  if (isRunning(job)) return Object.assign(unknown, runningView(job))
  return Object.assign(unknown, isCompleted(job) ? completedView(job) : endedView(job))
}

/** For others a job that looks for another worker is where it was: there is no way back to `pending`. */
function runningView(job: RunningJob) {
  const worker = lastWorkerOf(job)
  return { status: worker ? 'processing' : 'pending', worker } as const
}

const endedView = ({ status, worker, escrow }: EndedJob) => ({
  status,
  worker,
  refundTx: escrow.at === 'returned' ? escrow.refundTx : null,
  block: escrow.at === 'returned' ? escrow.refundBlock : null,
})

function completedView(job: CompletedJob) {
  const dispute = disputeOf(job)
  const isUpheld = job.status === 'upheld'
  return {
    status: isUpheld ? 'refunded' : job.status,
    charged: job.settlement === null || isUpheld ? NO_CREDITS : job.charged,
    worker: job.worker.address,
    completedAt: job.completedAt,
    settlementTx: job.settlement?.tx ?? null,
    refundTx: isUpheld ? job.dispute.resolution.tx : null,
    disputeTx: dispute?.opening?.tx ?? null,
    disputedHash: dispute?.claimedHash ?? null,
    block: job.settlement?.block ?? null,
    proofHash: job.outputHash,
    usage: job.usage,
  } as const
}

import { NO_CREDITS } from '../../src/domain/credits.ts'
import type { EdgeEnding, JobReply, JobView } from '../../src/messages/job.ts'
import type { Decision } from '../../src/runtime/kind.ts'
import { completeRefusal } from './refusals.ts'
import {
  type AbandonedJob,
  type CompletedJob,
  type EndedJob,
  isCompleted,
  isRunning,
  type Job,
  type JobEvent,
} from './state.ts'

/** The answer to any command: the job as others may see it, and how it ended. */
export function reply(job: Job | undefined, decision: Decision<JobEvent>): JobReply {
  if (decision.type === 'refuse') return { type: 'refused', reason: decision.reason }
  if (!job || job.status === 'abandoned') return { type: 'unknown_job' }
  return { type: 'accepted', view: viewOf(job), ending: endingOf(job) }
}

/** How the job ended for the caller who waits; null while it has not. */
export function endingOf(job: Job): EdgeEnding | null {
  if (job.status === 'abandoned' || isRunning(job)) return null
  return isCompleted(job) ? completion(job) : failure(job)
}

function completion(job: CompletedJob): EdgeEnding {
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

function failure(job: EndedJob): EdgeEnding {
  return {
    type: 'failed',
    jobId: job.terms.id,
    refusal: completeRefusal(job),
    escrowTx: escrowTx(job),
  }
}

function escrowTx({ escrow }: Exclude<Job, AbandonedJob>): JobView['escrowTx'] {
  return escrow.at === 'locked' || escrow.at === 'returned' ? escrow.tx : null
}

export function viewOf(job: Exclude<Job, AbandonedJob>): JobView {
  const { id, wallet, model, tier, lock, createdAt } = job.terms
  const common = { id, wallet, status: job.status, model, tier, lock, createdAt }
  const unknown = {
    charged: NO_CREDITS,
    worker: null,
    completedAt: null,
    escrowTx: escrowTx(job),
    settlementTx: null,
    refundTx: null,
    block: null,
    proofHash: null,
    usage: null,
  }
  if (isRunning(job)) {
    return { ...common, ...unknown, worker: job.attempt?.worker?.address ?? null }
  }
  if (isCompleted(job)) {
    return {
      ...common,
      ...unknown,
      charged: job.status === 'settled' ? job.charged : NO_CREDITS,
      worker: job.worker.address,
      completedAt: job.completedAt,
      settlementTx: job.settlement?.tx ?? null,
      block: job.settlement?.block ?? null,
      proofHash: job.outputHash,
      usage: job.usage,
    }
  }
  const { escrow } = job
  return {
    ...common,
    ...unknown,
    worker: job.worker,
    refundTx: escrow.at === 'returned' ? escrow.refundTx : null,
    block: escrow.at === 'returned' ? escrow.refundBlock : null,
  }
}

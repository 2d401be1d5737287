import type { DurationMs } from '../../src/domain/time.ts'
import type {
  ConfirmDispute,
  DisputeJob,
  DisputeRefusal,
  RefuseDispute,
  ResolveDispute,
} from '../../src/messages/dispute.ts'
import { accept, behindOr, type Decision, nothing, refuse } from '../../src/runtime/kind.ts'
import { disputeOf } from './completed.ts'
import type { JobEvent } from './events.ts'
import { type BegunJob, isCompleted, isRunning, type Job } from './state.ts'

/** What may be said about a contested answer: by its caller, by the lane, by the chain. */

const refusal = (why: DisputeRefusal) => refuse(why)

/** @param windowMs counted from the final output token, whatever the hash */
export function decideDispute(
  job: BegunJob,
  { wallet, requestId, receivedHash, at }: DisputeJob,
  windowMs: DurationMs,
): Decision<JobEvent> {
  if (wallet !== job.terms.wallet) return refusal('job_not_found')
  // Who contests an answer has it: another owner may have heard of it.
  if (isRunning(job)) return behindOr(refusal('job_not_completed'))
  if (!isCompleted(job)) return refusal('job_not_completed')
  // The same request again: its edge had no answer. The window may have ended meanwhile.
  if ('dispute' in job && job.dispute.requestId === requestId) return nothing
  // When an answer ended that the journal has lost, nobody knows; it was before the loss.
  if (job.completedAt === null || at - job.completedAt > windowMs)
    return refusal('dispute_window_expired')
  if (disputeOf(job)) return refusal('dispute_already_open')
  if (receivedHash === job.outputHash) return nothing
  return accept({ type: 'JobDisputed', requestId, claimedHash: receivedHash })
}

export function decideConfirmDispute(
  job: Job,
  { tx, block, claimedHash }: ConfirmDispute,
): Decision<JobEvent> {
  if (!isCompleted(job)) return nothing
  const confirmed: JobEvent = { type: 'DisputeConfirmed', tx, block, claimedHash }
  const dispute = disputeOf(job)
  if (block === null) {
    // Only what we asked for is broadcast; a hash on its way says nothing once one is in a block.
    const isAwaited = job.status === 'disputed' && (dispute?.opening?.block ?? null) === null
    return isAwaited && dispute?.opening?.tx !== tx ? accept(confirmed) : nothing
  }
  // Without one of ours: the wallet opened it on chain. With another block: the chain went back.
  const { opening } = dispute ?? { opening: null }
  return opening?.tx === tx && opening.block === block ? nothing : accept(confirmed)
}

/**
 * The contract says that its own window is over, which it checks only of a job that is settled and
 * not disputed: where we had seen the dispute in a block, that block is gone.
 */
export function decideRefuseDispute(job: Job, { reason }: RefuseDispute): Decision<JobEvent> {
  if (job.status !== 'disputed' || job.settlement === null) return nothing
  return accept({ type: 'DisputeRefused', reason })
}

/**
 * The watcher tells a job's facts in the chain's order, so that settlement and dispute are known. A
 * second verdict is the first one in another block, or the one that replaced it when the chain went
 * back: either way the chain is right.
 */
export function decideResolveDispute(
  job: Job,
  { upheld, tx, block }: ResolveDispute,
): Decision<JobEvent> {
  if (!isCompleted(job) || job.settlement === null) return nothing
  const dispute = disputeOf(job)
  if (!dispute) return nothing
  if ('resolution' in dispute) {
    const { resolution } = dispute
    if (resolution.tx === tx && resolution.block === block) return nothing
  }
  return accept({ type: 'DisputeResolved', upheld, tx, block })
}

import type {
  ConfirmLock,
  ConfirmRefund,
  ConfirmSettlement,
  RefuseLock,
  RefuseSettlement,
} from '../../src/messages/job.ts'
import { cannotLock, findsNoLock } from '../../src/messages/lane.ts'
import { accept, type Decision, nothing } from '../../src/runtime/kind.ts'
import type { CompletedJob } from './completed.ts'
import type { JobEvent } from './events.ts'
import { routeFirst } from './offers.ts'
import { lockRefusal, refundedOnChain, settlementRefusal, timeout } from './refusals.ts'
import {
  type BegunJob,
  type EndedJob,
  isCompleted,
  isEnded,
  isPaid,
  isRunning,
  lockIsOpen,
} from './state.ts'
import type { World } from './world.ts'

/**
 * What lanes and watcher tell of the job's credits: locked, settled, given back, or none of it. A lane
 * may tell at broadcast, late and more than once, and the chain may go back behind all that it told.
 */

export function decideConfirmLock(
  job: BegunJob,
  command: ConfirmLock,
  world: World,
): Decision<JobEvent> {
  const { tx, block, at } = command
  const confirmed: JobEvent = { type: 'LockConfirmed', tx, block }
  if (job.escrow.at === 'locked') {
    // Told at broadcast first, and now with the block, or with the hash that was mined instead.
    const isNews = block !== 0 && (job.escrow.tx !== tx || job.escrow.block !== block)
    return isNews ? accept(confirmed) : nothing
  }
  // The job ended while its lock was on the way: known now, it is refunded.
  if (isEnded(job)) {
    const { escrow } = job
    // Its refund may have been sent first: then the transaction of the lock alone is news.
    const isNews = escrow.at !== 'returned' || (escrow.tx !== tx && block !== 0)
    return isNews ? accept(confirmed) : nothing
  }
  if (isCompleted(job)) return accept(confirmed)
  return isRunning(job) ? accept(confirmed, ...routeFirst(job, at, world)) : nothing
}

export function decideRefuseLock(job: BegunJob, command: RefuseLock): Decision<JobEvent> {
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
 * before the lock came again: nobody is charged, and nobody is paid. A dispute is gone with what it contested;
 * arbitration takes longer than any chain goes back.
 */
const isUndone = (job: BegunJob, command: RefuseLock): boolean =>
  cannotLock(command.reason) && saysLater(job, command)

/** Of a settled job: in a later block than that of its settlement. */
const saysLater = (job: BegunJob, said: Pick<RefuseLock, 'block' | 'final'>): boolean =>
  said.block !== undefined &&
  (job.status === 'settled' || job.status === 'disputed') &&
  job.settlement !== null &&
  isLater(said, said.block, job.settlement.block)

/** A lock that was seen in a block, and is gone: known once its refund finds nothing to give back. */
function mayRefuse(job: EndedJob, reason: string): boolean {
  const { escrow } = job
  // Its refund may be told of at broadcast, before it finds nothing.
  const isRefunding =
    escrow.at === 'locked' || (escrow.at === 'returned' && escrow.refundBlock === null)
  return lockIsOpen(job) || (isRefunding && findsNoLock(reason))
}

export function decideConfirmSettlement(
  job: BegunJob,
  command: ConfirmSettlement,
): Decision<JobEvent> {
  const { tx, block, charged, answer, anew } = command
  const confirmed: JobEvent = { type: 'SettlementConfirmed', tx, block, charged }
  // The chain went back behind what ended the job, and paid its worker instead.
  if (isEnded(job) && job.answered) {
    const { escrow, answered } = job
    const refundBlock = escrow.at === 'returned' ? escrow.refundBlock : null
    const isLate = refundBlock !== null && !isLater(command, block, refundBlock)
    return isLate ? nothing : accept(confirmed, ...(anew ? disputeInDoubt(answered) : []))
  }
  // The journal is an older copy, of before the answer: the chain has spoken all the same.
  if (!isCompleted(job)) {
    return answer ? accept({ type: 'SettlementFound', tx, block, charged, answer }) : nothing
  }
  // Told again with another block: the chain went back, and the settlement was included anew.
  const isNews = job.settlement?.tx !== tx || job.settlement.block !== block
  const events = [...(isNews ? [confirmed] : []), ...(anew ? disputeInDoubt(job) : [])]
  return events.length > 0 ? accept(...events) : nothing
}

/**
 * The chain has gone back behind a settlement, which is in a block of the same number now: perhaps without the
 * dispute, as where that came before the settlement this time. It is asked for until it is told anew as well.
 */
function disputeInDoubt(job: CompletedJob): JobEvent[] {
  if (job.status !== 'disputed') return []
  const { claimedHash, opening } = job.dispute
  if (opening === null || opening.block === null) return []
  return [{ type: 'DisputeConfirmed', tx: opening.tx, block: null, claimedHash }]
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

export function decideRefuseSettlement(
  job: BegunJob,
  command: RefuseSettlement,
): Decision<JobEvent> {
  const { reason, at } = command
  if (!isCompleted(job) || (isPaid(job) && !saysLater(job, command))) return nothing
  const { escrow } = job
  // The chain went back behind the lock. It is open again: the lock lane is asked, and has the last word.
  if (escrow.at === 'locked' && findsNoLock(reason)) {
    return lockIsOpen(job) ? nothing : accept({ type: 'LockConfirmed', tx: escrow.tx, block: 0 })
  }
  // Of what is paid only the chain can say that it never will be: its worker has left on the other branch.
  if (isPaid(job) && reason !== 'UnknownWorker') return nothing
  // A dispute that was kept until then has nothing left to contest.
  return accept({ type: 'JobFailed', refusal: settlementRefusal(reason), at })
}

export function decideConfirmRefund(job: BegunJob, command: ConfirmRefund): Decision<JobEvent> {
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

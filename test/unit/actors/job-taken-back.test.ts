import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rests } from '../../../actors/job/due.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import { settlementRefusal } from '../../../actors/job/refusals.ts'
import { endingOf, viewOf } from '../../../actors/job/view.ts'
import type { ConfirmRefund } from '../../../src/messages/job.ts'
import {
  answered,
  assigned,
  completed,
  confirmSettlement,
  disputed,
  disputeTx,
  expired,
  given,
  hash,
  jobId,
  keys,
  later,
  locked,
  offered,
  openDispute,
  otherTx,
  paid,
  refunded,
  shown,
  started,
  tx,
  verdictTx,
  wallet,
} from './given.ts'

/** A lock that outlived its time can be taken back by anyone; the job hears of it from the chain. */
const test = suite('job: a lock taken back by another')

const AFTER_EXPIRY = 240_000
const refusedByChain: JobEvent = {
  type: 'JobFailed',
  refusal: settlementRefusal('NotLocked'),
  at: later(AFTER_EXPIRY),
}
const takenBack: ConfirmRefund = {
  type: 'ConfirmRefund',
  jobId,
  tx: otherTx,
  block: 11,
  at: later(AFTER_EXPIRY),
}

test('of a job that waits for its lock, for a worker, or for an answer: a timeout', () => {
  for (const past of [
    [started],
    [started, locked, offered],
    [started, locked, offered, assigned],
  ]) {
    const { job } = given(...past)
      .when(takenBack)
      .then('JobExpired', 'RefundConfirmed')
    assert.ok(job && 'terms' in job)
    const view = viewOf(job)
    assert.equal([view.status, view.refundTx, view.charged], ['refunded', otherTx, 0n])
    const ending = endingOf(job)
    assert.ok(ending?.type === 'failed' && ending.refusal.code === 'job_timeout')
    assert.is(ending.refusal.details?.refund_tx, otherTx)
    assert.ok(rests(job))
    assert.not.ok(keys(job).includes('refund'), 'nothing is asked of the lane')
  }
})

test('before the window ended: the job fails, since it was no timeout', () => {
  given(started, locked, offered)
    .when({ ...takenBack, at: later(1_000) })
    .then('JobFailed', 'RefundConfirmed')
})

test('of a job that waits for its settlement: failed, all credits back', () => {
  const { job } = given(started, locked, offered, assigned, completed)
    .when(takenBack)
    .then('JobFailed', 'RefundConfirmed')
  assert.ok(job && 'terms' in job && rests(job))
  const view = viewOf(job)
  assert.equal([view.status, view.refundTx, view.charged], ['failed', otherTx, 0n])
})

test('of a job that was settled in a block that is gone: failed, nothing is charged', () => {
  for (const past of [paid, [...paid, disputed, openDispute]]) {
    const { job } = given(...past)
      .when(takenBack)
      .then('JobFailed', 'RefundConfirmed')
    const view = shown(job)
    assert.equal([view.status, view.refundTx, view.charged], ['failed', otherTx, 0n])
    assert.ok(rests(job!))
  }
})

test('of a job that was settled on a branch that is gone, in whatever block: the watcher is right', () => {
  for (const block of [8, 9, 11]) {
    const { job } = given(...paid)
      .when({ ...takenBack, block, final: true })
      .then('JobFailed', 'RefundConfirmed')
    assert.equal([shown(job).status, shown(job).refundTx], ['failed', otherTx])
  }
})

test('and settled after all, on the next branch: paid, with its answer and its dispute', () => {
  const later = { ...confirmSettlement, tx: disputeTx, final: true } as const
  for (const past of [
    [...answered, refusedByChain],
    [...answered, refusedByChain, refunded],
    [...paid, refusedByChain, refunded],
  ]) {
    const { job } = given(...past)
      .when(later)
      .then('SettlementConfirmed')
    const view = shown(job)
    assert.equal(
      [view.status, view.settlementTx, view.refundTx, view.charged, view.proofHash, view.escrowTx],
      ['settled', disputeTx, null, 9n, hash, tx],
    )
    assert.ok(rests(job!))
  }
  const { job } = given(...paid, disputed, openDispute, refusedByChain, refunded)
    .when(later)
    .then('SettlementConfirmed')
  assert.is(shown(job).status, 'disputed')
  assert.ok(keys(job).includes('dispute'), 'the dispute is gone with its block')
})

test('and settled after all, under a lock that came again: the new lock is what is shown', () => {
  const lockedAgain: JobEvent = { type: 'LockConfirmed', tx: verdictTx, block: 12 }
  const gone: readonly JobEvent[] = [...answered, refusedByChain, { type: 'LockRefused' }]
  for (const past of [
    [...gone, lockedAgain],
    [...gone, lockedAgain, refunded],
  ]) {
    const { job } = given(...past)
      .when({ ...confirmSettlement, final: true })
      .then('SettlementConfirmed')
    assert.equal([shown(job).status, shown(job).escrowTx], ['settled', verdictTx])
  }
  const { job } = given(...gone).when({ ...confirmSettlement, final: true })
  assert.is(shown(job).escrowTx, tx, 'nobody has told of another one')
})

test('settled after all, and no answer is known or told: nothing changes', () => {
  given(started, locked, expired, refunded)
    .when({ ...confirmSettlement, final: true })
    .thenNothing()
})

test('told again, of a job that was paid later, or of a tombstone: nothing changes', () => {
  given(started, locked, expired, refunded).when(takenBack).thenNothing()
  given(...paid)
    .when({ ...takenBack, block: 9 })
    .thenNothing()
  given(...paid, refusedByChain, refunded)
    .when({ ...confirmSettlement, block: 11 })
    .thenNothing()
  given({ type: 'JobAbandoned', jobId, wallet }).when(takenBack).thenRefused()
})

test('settled on a branch that is gone, its lock refused on the other: it fails, and nobody pays', () => {
  const refuse = {
    type: 'RefuseLock',
    jobId,
    reason: 'InsufficientCredits',
    at: later(60_000),
  } as const
  const settledAt = confirmSettlement.block
  const { job } = given(...paid)
    .when({ ...refuse, block: settledAt + 1 })
    .then('JobFailed', 'LockRefused')
  assert.ok(job && 'terms' in job)
  const view = viewOf(job)
  assert.equal([view.status, view.charged, view.escrowTx], ['failed', 0n, null])
  assert.ok(rests(job))
  // The watcher sees the branch that counts: its blocks may have lower numbers.
  for (const reason of ['InsufficientCredits', 'SpendLimitReached']) {
    given(...paid)
      .when({ ...refuse, reason, block: settledAt - 1, final: true })
      .then('JobFailed', 'LockRefused')
  }
  // So it does where its answer was contested there.
  const contested = given(...paid, disputed, openDispute)
    .when({ ...refuse, block: settledAt - 1, final: true })
    .then('JobFailed', 'LockRefused')
  assert.ok(rests(contested.job!))
  given(...answered)
    .when({ ...refuse, block: settledAt - 1, final: true })
    .then()
  // Late word of an earlier block, of a host that does not say which, or of another reason: it is paid.
  given(...paid)
    .when({ ...refuse, block: settledAt })
    .then()
  given(...paid)
    .when(refuse)
    .then()
  given(...paid)
    .when({ ...refuse, block: settledAt + 1, reason: 'JobIdUsed' })
    .then()
})

test.run()

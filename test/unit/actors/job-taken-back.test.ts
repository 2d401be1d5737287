import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rests } from '../../../actors/job/due.ts'
import { endingOf, viewOf } from '../../../actors/job/view.ts'
import type { ConfirmRefund } from '../../../src/messages/job.ts'
import {
  assigned,
  completed,
  disputed,
  expired,
  given,
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
  wallet,
} from './given.ts'

/** A lock that outlived its time can be taken back by anyone; the job hears of it from the chain. */
const test = suite('job: a lock taken back by another')

const AFTER_EXPIRY = 240_000
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

test('told again, of a job that was paid later, or of a tombstone: nothing changes', () => {
  given(started, locked, expired, refunded).when(takenBack).thenNothing()
  given(...paid)
    .when({ ...takenBack, block: 9 })
    .thenNothing()
  given({ type: 'JobAbandoned', jobId, wallet }).when(takenBack).thenRefused()
})

test.run()

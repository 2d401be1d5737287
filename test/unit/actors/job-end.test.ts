import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobEvent } from '../../../actors/job/events.ts'
import { isCompleted } from '../../../actors/job/state.ts'
import { endingOf, reply, viewOf } from '../../../actors/job/view.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import {
  assigned,
  at,
  complete,
  completed,
  expire,
  expired,
  failed,
  failure,
  given,
  hash,
  jobId,
  keys,
  later,
  locked,
  offered,
  onePool,
  otherTx,
  refunded,
  refundSent,
  started,
  terms,
  tx,
  worker,
} from './given.ts'

const test = suite('job: completed, cancelled, expired')

test('complete: is settling, charged by the signed count, and the edge is told', () => {
  const { job } = given(started, locked, offered, assigned).when(complete).then('JobCompleted')
  assert.ok(job && isCompleted(job))
  assert.is(job.charged, toCredits(9)) // 8 + ceil(100 * 4 / 1000)
  assert.equal(keys(job), ['tell_edge', 'settle'])
})
test('complete: is never charged above the lock', () => {
  const { job } = given(started, locked, offered, assigned).when({
    ...complete,
    usage: { promptTokens: 1, completionTokens: 100_000 },
  } as JobCommand)
  assert.ok(job && isCompleted(job) && job.charged === terms.lock)
})
test('complete: without an assignment before it, is one too', () => {
  const { job } = given(started, locked, offered)
    .when({ ...complete, takenAt: at } as JobCommand)
    .then('WorkerAssigned', 'JobCompleted')
  assert.ok(job && isCompleted(job) && viewOf(job).worker === worker)
  assert.equal(job.worker, { address: worker, id: 3, takenAt: at })
})
test('complete: whoever waits is told which attempt it was, and how much of it there is', () => {
  const lost: JobEvent = { type: 'OfferFailed', excludePool: false }
  const { job } = given(started, locked, offered, assigned, lost, offered, assigned)
    .when({ ...complete, attempt: 2, workerId: 4 } as JobCommand)
    .then('JobCompleted')
  const ending = endingOf(job!)
  assert.ok(ending?.type === 'completed')
  const { attempt, chunks, finishReason, charged, outputHash } = ending
  assert.equal([attempt, chunks, finishReason, charged], [2, 9, 'stop', toCredits(9)])
  assert.is(outputHash, hash)
})
test('complete: told twice, counts once', () => {
  given(started, locked, offered, assigned, completed).when(complete).thenNothing()
})
test('complete: after the window, is not paid', () => {
  given(started, locked, offered, assigned)
    .when({ ...complete, at: terms.deadlineAt } as JobCommand)
    .then('JobExpired')
})
test('complete: after the job timed out, says nothing', () => {
  given(started, locked, offered, assigned, expired).when(complete).thenNothing()
})
test('expire: given a started job, asks for its credits back and stops the worker', () => {
  const { job } = given(started, locked, offered, assigned).when(expire).then('JobExpired')
  assert.is(job?.status, 'refunded')
  assert.ok(keys(job).includes('refund'))
  assert.ok(keys(job).includes('stop_worker.false'))
})
test('expire: given a second timer, says nothing', () => {
  given(started, locked, expired).when(expire).thenNothing()
})
test('expire: too early, says nothing', () => {
  given(started, locked)
    .when({ type: 'ExpireJob', jobId, at: later(119_999) })
    .thenNothing()
})
test('expire: before the lock is known, gives the lock up instead of refunding it', () => {
  const { job } = given(started).when(expire).then('JobExpired')
  assert.ok(keys(job).includes('lock.true'))
  assert.not.ok(keys(job).includes('refund'))
})
test('expire: the answer names the refund once its hash is known', () => {
  const before = given(started, locked, expired).job
  assert.ok(keys(before).includes('tell_edge.late'))
  const { job } = given(started, locked, expired)
    .when({ type: 'ConfirmRefund', jobId, tx: otherTx, block: null, at })
    .then('RefundConfirmed')
  assert.ok(keys(job).includes('tell_edge'))
  const ending = endingOf(job!)
  assert.is(ending?.type === 'failed' && ending.refusal.details?.refund_tx, otherTx)
})
test('expire: who asks before that hears of no end yet, and of it with the hash', () => {
  const early = given(started, locked, expired).when({ type: 'GetJob', jobId })
  const answer = reply(early.job, early.decision)
  assert.ok(answer.type === 'accepted' && answer.view.status === 'refunded')
  assert.is(answer.ending, null)
  const told = given(started, locked, expired).when({
    type: 'ConfirmRefund',
    jobId,
    tx: otherTx,
    block: null,
    at,
  })
  const later = reply(told.job, told.decision)
  assert.is(later.type === 'accepted' && later.ending?.type, 'failed')
})
test('cancel: of what nobody has seen, is no fault of a worker', () => {
  const why = (unseen: boolean) => {
    const cancel = { type: 'CancelJob', jobId, torn: true, unseen, at } as const
    const { job } = given(started, locked, offered, assigned).when(cancel).then('JobFailed')
    assert.ok(keys(job).includes('refund'))
    return job?.status === 'failed' && job.refusal.reason
  }
  assert.equal([why(true), why(false)], ['cancelled', 'worker_lost'])
})
test('cancel: before an offer, fails and gives all credits back', () => {
  given(started).when({ type: 'CancelJob', jobId, at }).then('JobFailed')
})
test('cancel: under way, lets the worker prove what it generated', () => {
  const { job } = given(started, locked, offered, assigned)
    .when({ type: 'CancelJob', jobId, at })
    .then('CancelRequested')
  assert.ok(keys(job).includes('stop_worker.true'))
})
test('cancel: what was generated is settled', () => {
  given(started, locked, offered, assigned, { type: 'CancelRequested' })
    .when(complete)
    .then('JobCompleted')
})
test('cancel: a worker lost afterwards is not replaced', () => {
  given(started, locked, offered, assigned, { type: 'CancelRequested' })
    .when(failure('worker_lost'), onePool)
    .then('JobFailed')
})

test('refund: in another block, or by another attempt, after the chain went back', () => {
  const past = [started, locked, offered, failed, refundSent, refunded]
  const told = { type: 'ConfirmRefund', jobId, at } as const
  const { job } = given(...past)
    .when({ ...told, tx, block: 12 })
    .then('RefundConfirmed')
  assert.ok(job && job.status !== 'abandoned')
  assert.is(viewOf(job).refundTx, tx)
  given(...past)
    .when({ ...told, tx, block: 11 })
    .then('RefundConfirmed')
  given(...past)
    .when({ ...told, tx: otherTx, block: 11 })
    .thenNothing()
  given(...past)
    .when({ ...told, tx, block: null })
    .thenNothing()
})

test.run()

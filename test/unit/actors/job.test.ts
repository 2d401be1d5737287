import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { due, rests } from '../../../actors/job/due.ts'
import { isCompleted, isEnded, type Job, type JobEvent } from '../../../actors/job/state.ts'
import { endingOf, reply, viewOf } from '../../../actors/job/view.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import type { FailWorker, JobCommand } from '../../../src/messages/job.ts'
import {
  assigned,
  at,
  complete,
  completed,
  confirmLock,
  expire,
  expired,
  failed,
  given,
  jobId,
  later,
  locked,
  noPool,
  offered,
  onePool,
  otherTx,
  refunded,
  refundSent,
  settled,
  started,
  terms,
  tx,
  wallet,
  worker,
} from './given.ts'

const test = suite('job')
const keys = (job: Job | undefined) => due(job!).map((effect) => effect.key)

const start: JobCommand = {
  type: 'StartJob',
  jobId,
  wallet,
  model: terms.model,
  tier: terms.tier,
  lock: terms.lock,
  outputTokensMax: terms.outputTokensMax,
  stream: true,
  replyTo: terms.replyTo,
  at,
  deadlineAt: terms.deadlineAt,
}
const failure = (reason: FailWorker['reason'], textSent = false): FailWorker => ({
  type: 'FailWorker',
  jobId,
  attempt: 1,
  reason,
  textSent,
  at: later(10),
})

test('start: a new job asks for its lock and minds its deadline', () => {
  const { job } = given().when(start).then('JobStarted')
  assert.equal(keys(job), ['expire', 'watch_edge', 'lock.false'])
})
test('start: said twice, is one job', () => given(started).when(start).thenNothing())
test('start: after a tombstone, is refused', () => {
  given({ type: 'JobAbandoned', jobId, wallet }).when(start).thenRefused()
})
test('abandon: a job that never was gets a tombstone and its credits are released', () => {
  const { job } = given().when({ type: 'AbandonJob', jobId, wallet, at }).then('JobAbandoned')
  assert.equal(keys(job), ['release'])
})
test('abandon: a job that exists is left alone', () => {
  given(started).when({ type: 'AbandonJob', jobId, wallet, at }).thenNothing()
})

test('lock: included, the job is offered to a pool', () => {
  const { job } = given(started).when(confirmLock).then('LockConfirmed', 'OfferMade')
  assert.ok(keys(job).includes('offer.1'))
})
test('lock: told twice, says nothing', () => {
  given(started, locked, offered).when(confirmLock).thenNothing()
})
test('lock: included and no pool has a worker, fails and gives the credits back', () => {
  const { job } = given(started).when(confirmLock, noPool).then('LockConfirmed', 'JobFailed')
  assert.ok(keys(job).includes('refund'))
  const ending = endingOf(job!)
  assert.is(ending?.type === 'failed' && ending.refusal.code, 'no_workers_available')
})
test('lock: refused for lack of credits, answers 402 and releases the reservation', () => {
  const { job } = given(started)
    .when({ type: 'RefuseLock', jobId, reason: 'InsufficientCredits', at })
    .then('JobFailed', 'LockRefused')
  assert.ok(keys(job).includes('release'))
  assert.ok(rests(job!))
  const ending = endingOf(job!)
  assert.is(ending?.type === 'failed' && ending.refusal.code, 'insufficient_credits')
})
test('lock: mined after the job ended, is refunded', () => {
  const { job } = given(started, expired).when(confirmLock).then('LockConfirmed')
  assert.ok(keys(job).includes('refund'))
})
test('lock: mined although it was given up, is refunded', () => {
  given(started, failed, { type: 'LockRefused' }).when(confirmLock).then('LockConfirmed')
})

test('lock: told at broadcast and then refused, the job fails wherever it is', () => {
  const broadcast: JobEvent = { type: 'LockConfirmed', tx, block: 0 }
  const refuse: JobCommand = { type: 'RefuseLock', jobId, reason: 'InsufficientCredits', at }
  for (const past of [
    [broadcast, offered],
    [broadcast, offered, assigned],
    [broadcast, offered, assigned, completed],
  ]) {
    const before = given(started, ...past)
    assert.ok(keys(before.job).includes('lock.false'), 'the lock is minded until it is in a block')
    const { job } = before.when(refuse).then('JobFailed', 'LockRefused')
    assert.ok(keys(job).includes('release'))
    assert.not.ok(keys(job).includes('refund'))
    assert.ok(rests(job!))
  }
  given(started, locked, offered).when(refuse).thenNothing()
  given(started, broadcast, offered, assigned, completed, settled).when(refuse).thenNothing()
})

test('assign: the job is processing under its worker', () => {
  const { job } = given(started, locked, offered)
    .when({ type: 'AssignWorker', jobId, attempt: 1, worker, workerId: 3, at })
    .then('WorkerAssigned')
  assert.is(job?.status, 'processing')
})
test('assign: of an attempt given up, says nothing', () => {
  given(started, locked, offered, { type: 'OfferFailed', excludePool: false }, offered)
    .when({ type: 'AssignWorker', jobId, attempt: 1, worker, workerId: 3, at })
    .thenNothing()
})
test('offer: refused by the only pool, answers 503 and refunds', () => {
  const { job } = given(started, locked, offered)
    .when({ type: 'RefuseOffer', jobId, attempt: 1, reason: 'no_worker', at })
    .then('OfferFailed', 'JobFailed')
  const ending = endingOf(job!)
  assert.is(ending?.type === 'failed' && ending.refusal.code, 'no_workers_available')
})

test('failure: before any text, the same lock goes to another worker', () => {
  const { job } = given(started, locked, offered, assigned)
    .when(failure('worker_lost'))
    .then('OfferFailed', 'OfferMade')
  assert.ok(job && !isCompleted(job) && !isEnded(job) && job.status === 'pending')
  assert.equal(job.excludeWorkers, [worker])
  assert.is(job.attempt?.number, 2)
})
test('failure: after text of a stream, fails and gives all credits back', () => {
  const { job } = given(started, locked, offered, assigned)
    .when(failure('worker_lost', true))
    .then('JobFailed')
  assert.ok(keys(job).includes('refund'))
})
test('failure: after text of a plain answer, another worker begins anew', () => {
  given({ type: 'JobStarted', terms: { ...terms, stream: false } }, locked, offered, assigned)
    .when(failure('worker_lost', true))
    .then('OfferFailed', 'OfferMade')
})
test("failure: the caller's own doing is not tried again", () => {
  const { job } = given(started, locked, offered, assigned)
    .when({ ...failure('context_length_exceeded'), message: 'too long' })
    .then('JobFailed')
  const ending = endingOf(job!)
  assert.is(ending?.type === 'failed' && ending.refusal.code, 'context_length_exceeded')
})
test('failure: the only worker was lost, so the model has none: 503', () => {
  const { job } = given(started, locked, offered, assigned)
    .when(failure('worker_lost'), noPool)
    .then('OfferFailed', 'JobFailed')
  const ending = endingOf(job!)
  assert.is(ending?.type === 'failed' && ending.refusal.code, 'no_workers_available')
})
test('failure: told twice, counts once', () => {
  given(started, locked, offered, assigned, { type: 'OfferFailed', excludePool: false }, offered)
    .when(failure('worker_lost'))
    .thenNothing()
})
test('failure: a job that every try failed ends', () => {
  const tries = Array.from({ length: 5 }, () => [
    offered,
    { type: 'OfferFailed', excludePool: false } as const,
  ]).flat()
  given(started, locked, ...tries, offered, assigned)
    .when({ ...failure('worker_error'), attempt: 6 })
    .then('JobFailed')
})

test('complete: is settling, charged by the signed count, and the edge is told', () => {
  const { job } = given(started, locked, offered, assigned).when(complete).then('JobCompleted')
  assert.ok(job && isCompleted(job))
  assert.is(job.charged, toCredits(9)) // 8 + ceil(100 * 4 / 1000)
  assert.equal(keys(job), ['tell_edge', 'drop_prompt', 'settle'])
})
test('complete: is never charged above the lock', () => {
  const { job } = given(started, locked, offered, assigned).when({
    ...complete,
    usage: { promptTokens: 1, completionTokens: 100_000 },
  } as JobCommand)
  assert.ok(job && isCompleted(job) && job.charged === terms.lock)
})
test('complete: before the assignment was heard, counts all the same', () => {
  given(started, locked, offered).when(complete).then('JobCompleted')
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

test('settlement: confirmed, the job is at rest', () => {
  const { job } = given(started, locked, offered, assigned, completed)
    .when({
      type: 'ConfirmSettlement',
      jobId,
      tx: otherTx,
      block: 9,
      charged: toCredits(9),
      at: later(2_000),
    })
    .then('SettlementConfirmed')
  assert.ok(rests(job!))
})
test('settlement: refused, fails and gives the credits back', () => {
  const { job } = given(started, locked, offered, assigned, completed)
    .when({ type: 'RefuseSettlement', jobId, reason: 'BadSignature', at })
    .then('JobFailed')
  assert.ok(keys(job).includes('refund'))
})
test('settlement: a settled job never moves', () => {
  const done = given(started, locked, offered, assigned, completed, settled)
  for (const command of [
    complete,
    expire,
    confirmLock,
    failure('worker_lost'),
    { type: 'CancelJob', jobId, at },
    { type: 'ConfirmRefund', jobId, tx, block: 12, at },
  ] as JobCommand[]) {
    done.when(command).thenNothing()
  }
})
test('refund: sent and then mined, comes to rest', () => {
  const sent = given(started, locked, expired, refundSent)
  assert.not.ok(rests(sent.job!))
  const { job } = sent
    .when({ type: 'ConfirmRefund', jobId, tx: otherTx, block: 11, at })
    .then('RefundConfirmed')
  assert.ok(rests(job!))
})
test('refund: told twice, counts once', () => {
  given(started, locked, expired, refunded)
    .when({ type: 'ConfirmRefund', jobId, tx: otherTx, block: 11, at })
    .thenNothing()
})
test('refund: by anyone after expiry, ends a job that was settling', () => {
  const { job } = given(started, locked, offered, assigned, completed)
    .when({ type: 'ConfirmRefund', jobId, tx: otherTx, block: 11, at })
    .then('JobFailed', 'RefundConfirmed')
  assert.ok(rests(job!))
})

test('view: what is not known yet is null', () => {
  const view = viewOf(given(started).job as Parameters<typeof viewOf>[0])
  assert.equal(
    [view.worker, view.completedAt, view.escrowTx, view.settlementTx, view.usage],
    [null, null, null, null, null],
  )
  assert.is(view.charged, toCredits(0))
})
test('view: nothing is charged until settled', () => {
  const settling = given(started, locked, offered, assigned, completed).job
  assert.is(viewOf(settling as Parameters<typeof viewOf>[0]).charged, toCredits(0))
  const done = given(started, locked, offered, assigned, completed, settled).job
  assert.is(viewOf(done as Parameters<typeof viewOf>[0]).charged, toCredits(9))
})
test('view: a tombstone looks like a job that never was', () => {
  const { job } = given({ type: 'JobAbandoned', jobId, wallet })
  assert.equal(reply(job, { type: 'nothing' }), { type: 'unknown_job' })
})

test.run()

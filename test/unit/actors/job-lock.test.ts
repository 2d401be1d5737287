import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { rests } from '../../../actors/job/due.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import { endingOf, viewOf } from '../../../actors/job/view.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import {
  assigned,
  at,
  completed,
  confirmLock,
  expired,
  failed,
  given,
  jobId,
  keys,
  locked,
  noPool,
  offered,
  otherTx,
  refunded,
  refundSent,
  settled,
  start,
  started,
  tx,
  wallet,
} from './given.ts'

const test = suite('job: from its start to its lock')

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
for (const [reason, code, says] of [
  ['SpendLimitReached', 'insufficient_credits', /wallet's own limit for a day/],
  ['Paused', 'service_unavailable', /paused/],
] as const) {
  test(`lock: refused with ${reason}, answers ${code} and releases the reservation`, () => {
    const { job } = given(started)
      .when({ type: 'RefuseLock', jobId, reason, at })
      .then('JobFailed', 'LockRefused')
    assert.ok(keys(job).includes('release'))
    const ending = endingOf(job!)
    const refusal = ending?.type === 'failed' ? ending.refusal : undefined
    assert.is(refusal?.code, code)
    assert.match(refusal?.message ?? '', says)
  })
}
test('lock: mined after the job ended, is refunded', () => {
  const { job } = given(started, expired).when(confirmLock).then('LockConfirmed')
  assert.ok(keys(job).includes('refund'))
})
test('lock: mined with another hash than was told, is shown, and goes on being given back', () => {
  const mined = { ...confirmLock, tx: otherTx, block: 8 } as JobCommand
  for (const past of [[failed], [failed, refundSent], [failed, refunded]]) {
    const { job } = given(started, locked, ...past)
      .when(mined)
      .then('LockConfirmed')
    assert.ok(job && job.status !== 'abandoned')
    assert.is(viewOf(job).escrowTx, otherTx)
    assert.is(keys(job).includes('refund'), !past.includes(refunded))
    given(started, locked, ...past, { type: 'LockConfirmed', tx: otherTx, block: 8 })
      .when(mined)
      .thenNothing()
  }
})
test('lock: told at broadcast, and mined after the job ended, is not asked for any more', () => {
  const broadcast: JobEvent = { type: 'LockConfirmed', tx, block: 0 }
  const before = given(started, broadcast, failed)
  before.when({ ...confirmLock, block: 0 } as JobCommand).thenNothing()
  const { job } = before.when(confirmLock).then('LockConfirmed')
  assert.not(keys(job).some((key) => key.startsWith('lock.')))
  assert.ok(keys(job).includes('refund'))
})
test('lock: refused after the job ended, the reservation is released', () => {
  const broadcast: JobEvent = { type: 'LockConfirmed', tx, block: 0 }
  for (const past of [[expired], [broadcast, expired]]) {
    const { job } = given(started, ...past)
      .when({ type: 'RefuseLock', jobId, reason: 'InsufficientCredits', at })
      .then('LockRefused')
    assert.ok(keys(job).includes('release') && !keys(job).includes('refund'))
    assert.ok(keys(job).includes('tell_edge'), 'there is no refund whose hash its caller waits for')
    assert.ok(rests(job!))
  }
})
test('lock: refused by word of the chain, the lane that may send it once more is waited for', () => {
  const broadcast: JobEvent = { type: 'LockConfirmed', tx, block: 0 }
  for (const past of [[], [broadcast, offered], [broadcast, offered, assigned, completed]]) {
    given(started, ...past)
      .when({ type: 'RefuseLock', jobId, reason: 'InsufficientCredits', block: 7, final: true, at })
      .thenNothing()
  }
})
test('lock: mined although it was given up, is refunded', () => {
  given(started, failed, { type: 'LockRefused' }).when(confirmLock).then('LockConfirmed')
})
test('lock: heard of after its refund was sent, is shown, and stays on its way back', () => {
  const before = given(started, expired, { type: 'RefundConfirmed', tx, block: null })
  before.when({ type: 'ConfirmLock', jobId, tx: otherTx, block: 0, at }).thenNothing()
  const mined: JobCommand = { type: 'ConfirmLock', jobId, tx: otherTx, block: 7, at }
  const { job } = before.when(mined).then('LockConfirmed')
  assert.ok(job && job.status !== 'abandoned')
  const { escrowTx, refundTx } = viewOf(job)
  assert.equal([escrowTx, refundTx], [otherTx, tx])
  assert.ok(keys(job).includes('refund'))
  const known: JobEvent = { type: 'LockConfirmed', tx: otherTx, block: 7 }
  given(started, expired, refundSent, known).when(mined).thenNothing()
})
test('lock: gone with the blocks it was in, is known once its refund finds nothing', () => {
  for (const past of [
    [locked, failed],
    [locked, failed, refundSent],
  ]) {
    const before = given(started, ...past)
    before.when({ type: 'RefuseLock', jobId, reason: 'InsufficientCredits', at }).thenNothing()
    const { job } = before
      .when({ type: 'RefuseLock', jobId, reason: 'NotLocked', at })
      .then('LockRefused')
    assert.ok(keys(job).includes('release'))
    assert.ok(rests(job!))
  }
  given(started, locked, failed, refunded)
    .when({ type: 'RefuseLock', jobId, reason: 'NotLocked', at })
    .thenNothing()
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
test('lock: told anew after the chain went back, the last word of a block counts', () => {
  const told = (tx_: typeof tx, block: number) =>
    given(started, locked, offered, assigned).when({ ...confirmLock, tx: tx_, block } as JobCommand)
  for (const [hash, block] of [
    [tx, 8],
    [otherTx, 7],
  ] as const) {
    const { job } = told(hash, block).then('LockConfirmed')
    assert.equal(job?.status !== 'abandoned' && job?.escrow, { at: 'locked', tx: hash, block })
  }
  // Late word of a broadcast: it is in a block by now.
  told(otherTx, 0).thenNothing()
})
test('lock: mined as another attempt than was broadcast, the mined hash is shown', () => {
  const broadcast: JobEvent = { type: 'LockConfirmed', tx: otherTx, block: 0 }
  for (const past of [
    [broadcast, offered],
    [broadcast, offered, assigned, completed],
    [broadcast, offered, assigned, completed, settled],
  ]) {
    const { job } = given(started, ...past)
      .when(confirmLock)
      .then('LockConfirmed')
    assert.ok(job && job.status !== 'abandoned')
    assert.is(viewOf(job).escrowTx, tx)
    assert.not.ok(keys(job).includes('lock.false'), 'nobody asks for it any more')
  }
})

test.run()

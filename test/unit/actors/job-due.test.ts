import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { due, dueAhead, type JobEffect, rests } from '../../../actors/job/due.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import {
  answered,
  assigned,
  disputed,
  expired,
  failed,
  given,
  jobId,
  keys,
  later,
  locked,
  offered,
  openDispute,
  paid,
  refundSent,
  started,
  tx,
  wallet,
} from './given.ts'

/** What is under way in a state, and what of it goes on until somebody has spoken. */
const test = suite('job: what is due')

const of = (type: JobEffect['type'], ...past: readonly JobEvent[]) =>
  due(given(...past).job!).find((effect) => effect.type === type)

test('offered, taken, left by its caller: its end and its pool are minded throughout', () => {
  const past = [started, locked, offered]
  const minded = ['expire', 'watch_edge', 'watch_pool.1']
  assert.equal(keys(given(...past).job), [...minded, 'offer.1'])
  assert.equal(keys(given(...past, assigned).job), minded)
  const left = given(...past, assigned, { type: 'CancelRequested' })
  assert.equal(keys(left.job), ['expire', 'watch_pool.1', 'stop_worker.true'])
  const watch = of('watch_pool', ...past)
  assert.ok(watch?.type === 'watch_pool' && watch.everyMs)
  assert.equal([watch.poolId, watch.attempt], ['pool-1', 1])
  const end = of('expire', ...past)
  assert.equal([end?.notBefore, end?.withinMs], [later(120_000), 120_000])
})
test('what the chain is asked for is asked for again until it has spoken', () => {
  for (const [type, past] of [
    ['lock', [started]],
    ['lock', [started, { type: 'LockConfirmed', tx, block: 0 }, expired]],
    ['settle', answered],
    ['dispute', [...paid, disputed]],
    ['refund', [started, locked, failed]],
    ['refund', [started, locked, failed, refundSent]],
  ] as const) {
    assert.ok(of(type, ...past)?.everyMs, type)
    assert.not.ok(rests(given(...past).job!))
  }
})
test('ended: prompt, worker and lock are let go of, as far as it has them', () => {
  const taken = given(started, locked, offered, assigned, expired)
  assert.equal(keys(taken.job), ['forget_prompt', 'tell_edge.late', 'stop_worker.false', 'refund'])
  const waiting = given(started, failed)
  assert.equal(keys(waiting.job), ['forget_prompt', 'tell_edge', 'lock.true'])
  const sent = given(started, { type: 'LockConfirmed', tx, block: 0 }, failed)
  assert.equal(keys(sent.job), ['forget_prompt', 'tell_edge', 'lock.true'])
  const unheard = given(started, locked, failed)
  assert.equal(keys(unheard.job), ['forget_prompt', 'tell_edge', 'refund'])
})
test('a timeout is told once the hash of its refund is known, or five seconds later', () => {
  assert.is(of('tell_edge', started, locked, expired)?.notBefore, later(125_000))
  assert.is(of('tell_edge', started, locked, expired, refundSent)?.notBefore, undefined)
})
test('the first offer is made ahead of its record, and no later one', () => {
  const ahead = (firstPoolId: string, ...past: readonly JobEvent[]) => {
    const first = { ...started, poolId: firstPoolId } as JobEvent
    const [before, after] = [given(first, ...past.slice(0, -1)).job!, given(first, ...past).job!]
    return dueAhead(before, after).map(({ key }) => key)
  }
  assert.equal(ahead('pool-1', locked, offered), ['offer.1'])
  assert.equal(ahead('pool-2', locked, offered), [])
  assert.equal(ahead('pool-1', locked, failed), [])
  const lost: JobEvent = { type: 'OfferFailed', excludePool: false }
  assert.equal(ahead('pool-1', locked, offered, lost, offered), [])
})
test('its lock is gone with the last blocks: a contested job waits for it, too', () => {
  const gone: JobEvent = { type: 'LockConfirmed', tx, block: 0 }
  for (const past of [paid, [...paid, disputed, openDispute]]) {
    const { job } = given(...past, gone)
    assert.equal(keys(job), ['lock.false'])
    assert.not.ok(rests(job!))
  }
})
test('a tombstone gives the reservation back, and is then forgotten', () => {
  const { job } = given({ type: 'JobAbandoned', jobId, wallet })
  assert.equal(keys(job), ['release'])
  assert.ok(rests(job!))
})

test.run()

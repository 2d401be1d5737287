import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobEvent } from '../../../actors/job/events.ts'
import { isEnded, isRunning, type Job } from '../../../actors/job/state.ts'
import type { World } from '../../../actors/job/world.ts'
import type { FailWorker, JobCommand, RefuseOffer } from '../../../src/messages/job.ts'
import {
  assigned,
  at,
  failure,
  given,
  jobId,
  keys,
  locked,
  noPool,
  offered,
  started,
  worker,
} from './given.ts'

/** Which pool is next, and what a caller is told where none is left. */
const test = suite('job: who is offered it next')

/** As many pools as there are names; each but the excluded ones serves the model. */
const pools = (...ids: string[]): World => ({
  ...noPool,
  choosePool: (_model, exclude) => ids.find((id) => !exclude.includes(id)),
})
const refused = (attempt: number): RefuseOffer => ({
  type: 'RefuseOffer',
  jobId,
  attempt,
  reason: 'no_worker',
  at,
})
const failedAt = (attempt: number, reason: FailWorker['reason']): JobCommand => ({
  ...failure(reason),
  attempt,
})
const refusedBy = (poolId: string): readonly JobEvent[] => [
  { type: 'OfferMade', poolId },
  { type: 'OfferFailed', excludePool: true },
]
const offeredTo2: JobEvent = { type: 'OfferMade', poolId: 'pool-2' }
const poolOf = (job: Job | undefined) => {
  assert.ok(job && isRunning(job))
  return job.attempt?.poolId
}
const told = (job: Job | undefined) => {
  assert.ok(job && isEnded(job))
  return [job.refusal.code, job.refusal.reason]
}

test('refused: the next pool, and never again one that has refused it', () => {
  const first = given(started, locked, offered).when(refused(1), pools('pool-1', 'pool-2'))
  assert.is(poolOf(first.job), 'pool-2')
  const { job } = given(started, locked, ...refusedBy('pool-1'), offeredTo2)
    .when(refused(2), pools('pool-1', 'pool-2', 'pool-3'))
    .then('OfferFailed', 'OfferMade')
  assert.is(poolOf(job), 'pool-3')
  given(started, locked, ...refusedBy('pool-1'), offered)
    .when(refused(1))
    .thenNothing()
})
test('refused by the last pool, and nobody had taken it: a lack of workers, not of room', () => {
  const { job } = given(started, locked, offered)
    .when(refused(1), pools('pool-1'))
    .then('OfferFailed', 'JobFailed')
  assert.equal(told(job), ['no_workers_available', undefined])
})
test('refused when the caller has left: no other pool is asked', () => {
  const { job } = given(started, locked, offered, { type: 'CancelRequested' })
    .when(refused(1), pools('pool-1', 'pool-2'))
    .then('JobFailed')
  assert.equal(told(job), ['service_unavailable', 'cancelled'])
  assert.ok(keys(job).includes('refund'))
})

test('failed: a pool that is gone or has no worker is not asked again, one that lost a worker may be', () => {
  const next = (reason: FailWorker['reason']) => {
    const { job } = given(started, locked, ...refusedBy('pool-1'), offeredTo2)
      .when(failedAt(2, reason), pools('pool-1', 'pool-2', 'pool-3'))
      .then('OfferFailed', 'OfferMade')
    assert.ok(job && isRunning(job))
    return [job.attempt?.poolId, ...job.excludePools]
  }
  assert.equal(next('pool_gone'), ['pool-3', 'pool-1', 'pool-2'])
  assert.equal(next('no_worker'), ['pool-3', 'pool-1', 'pool-2'])
  assert.equal(next('worker_lost'), ['pool-2', 'pool-1'])
})
test('failed: what the caller or its engine is at fault for is not tried again', () => {
  const end = (reason: FailWorker['reason']) => {
    const { job } = given(started, locked, offered, assigned)
      .when(failure(reason), pools('pool-1', 'pool-2'))
      .then('JobFailed')
    assert.ok(keys(job).includes('refund'))
    return told(job)
  }
  assert.equal(end('prompt_refused'), ['invalid_request', 'prompt_refused'])
  assert.equal(end('cancelled'), ['service_unavailable', 'cancelled'])
})
test('failed, and no other pool: a caller is told what it was', () => {
  const end = (reason: FailWorker['reason']) => {
    const world: World = {
      ...noPool,
      choosePool: (_model, exclude) => (exclude.length > 0 ? undefined : 'pool-1'),
    }
    const past = [...refusedBy('pool-2'), offered, assigned]
    const { job } = given(started, locked, ...past).when(failedAt(2, reason), world)
    return told(job)
  }
  assert.equal(end('no_worker'), ['no_workers_available', undefined])
  assert.equal(end('worker_lost'), ['internal_error', 'worker_lost'])
  assert.equal(end('worker_overloaded'), ['no_workers_available', 'worker_overloaded'])
})
test('failed at the last try: 503 where all were only busy, 500 where one ran into a fault', () => {
  const end = (each: JobEvent, reason: FailWorker['reason']) => {
    const tries = Array.from({ length: 5 }, () => [offered, assigned, each]).flat()
    const { job } = given(started, locked, ...tries, offered, assigned)
      .when(failedAt(6, reason))
      .then('JobFailed')
    return told(job)
  }
  const busy: JobEvent = { type: 'OfferFailed', excludePool: false, overloaded: true }
  const fault: JobEvent = { type: 'OfferFailed', excludePool: false }
  assert.equal(end(busy, 'worker_overloaded'), ['no_workers_available', 'worker_overloaded'])
  assert.equal(end(fault, 'worker_overloaded'), ['internal_error', 'attempts_exhausted'])
  assert.equal(end(busy, 'worker_error'), ['internal_error', 'attempts_exhausted'])
})
test('busy is remembered as no fault: a pool with no more workers then means 503', () => {
  const { decision } = given(started, locked, offered, assigned).when(failure('worker_overloaded'))
  assert.ok(decision.type === 'accept')
  const { job } = given(started, locked, offered, assigned, ...decision.events).when(
    refused(2),
    pools('pool-1'),
  )
  assert.equal(told(job), ['no_workers_available', 'worker_overloaded'])
  // Nor is a pool that was gone before anybody took the job.
  const busy: JobEvent = { type: 'OfferFailed', excludePool: false, overloaded: true }
  const after = given(started, locked, ...refusedBy('pool-2'), offered, assigned, busy, offered)
  const end = after.when(refused(3), pools('pool-1', 'pool-2'))
  assert.equal(told(end.job), ['no_workers_available', 'worker_overloaded'])
})
test('too long: tried elsewhere within the same number of tries, and without those who refused it', () => {
  const tooLong = { ...failure('context_length_exceeded'), workers: [worker], contextAbove: 4_096 }
  const { job } = given(started, locked, offered).when(tooLong, pools('pool-1'))
  assert.ok(job && isRunning(job))
  assert.equal([job.excludeWorkers, job.excludePools], [[worker], []])
  const fault: JobEvent = { type: 'OfferFailed', excludePool: false }
  const tries = Array.from({ length: 5 }, () => [offered, fault]).flat()
  const last = given(started, locked, ...tries, offered)
    .when({ ...tooLong, attempt: 6 }, pools('pool-1'))
    .then('JobFailed')
  assert.is(told(last.job)[0], 'context_length_exceeded')
})

test.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobEvent } from '../../../actors/job/events.ts'
import { isCompleted, isEnded, type Job } from '../../../actors/job/state.ts'
import { endingOf, viewOf } from '../../../actors/job/view.ts'
import type { World } from '../../../actors/job/world.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
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
  terms,
  worker,
} from './given.ts'

const test = suite('job: under a worker')

/** One pool, which still serves the model after it has refused the job. */
const served: World = {
  ...noPool,
  choosePool: (_model, exclude) => (exclude.length > 0 ? undefined : 'pool-1'),
}

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
  const { status, worker: shownWorker } = viewOf(job)
  assert.equal([status, shownWorker], ['processing', worker], 'nobody sees a way back')
})
test('failure: of two workers at once, neither gets the job again', () => {
  const other = toAddress(`0x${'ee'.repeat(20)}`)
  const { job } = given(started, locked, offered, assigned)
    .when({ ...failure('worker_error'), workers: [worker, other] })
    .then('OfferFailed', 'OfferMade')
  assert.ok(job && !isCompleted(job) && !isEnded(job) && job.status === 'pending')
  assert.equal(job.excludeWorkers, [worker, other])
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
    .when(failure('context_length_exceeded'))
    .then('JobFailed')
  const ending = endingOf(job!)
  assert.is(ending?.type === 'failed' && ending.refusal.code, 'context_length_exceeded')
})
test('failure: too long for this pool, and another serves more context', () => {
  const asked: (number | undefined)[] = []
  const world: World = {
    ...noPool,
    choosePool: (_model, _exclude, contextAbove) => {
      asked.push(contextAbove)
      return (contextAbove ?? 0) < 8_192 ? 'pool-2' : undefined
    },
  }
  const tooLong = failure('context_length_exceeded')
  const { job } = given(started, locked, offered, assigned)
    .when({ ...tooLong, workers: [worker], contextAbove: 4_096 }, world)
    .then('OfferFailed', 'OfferMade')
  assert.equal(asked, [4_096])
  assert.ok(job && !isCompleted(job) && !isEnded(job) && job.status === 'pending')
  assert.equal([job.contextAbove, job.attempt?.poolId], [4_096, 'pool-2'])
  given(started, locked, offered, assigned)
    .when({ ...tooLong, contextAbove: 8_192 }, world)
    .then('JobFailed')
  // Some of a stream has reached the caller: nobody can go on with it.
  given(started, locked, offered, assigned)
    .when({ ...tooLong, textSent: true, contextAbove: 4_096 }, world)
    .then('JobFailed')
})
test('failure: the only worker was lost, so the model has none: 503', () => {
  const { job } = given(started, locked, offered, assigned)
    .when(failure('worker_lost'), noPool)
    .then('OfferFailed', 'JobFailed')
  const ending = endingOf(job!)
  assert.is(ending?.type === 'failed' && ending.refusal.code, 'no_workers_available')
})
const refused = (attempt: number): JobCommand => ({
  type: 'RefuseOffer',
  jobId,
  attempt,
  reason: 'no_worker',
  at,
})
const noRoom: JobEvent = { type: 'OfferFailed', excludePool: false, overloaded: true }
const codeOf = (job: Job | undefined) => {
  assert.ok(job && isEnded(job))
  return [job.refusal.code, job.refusal.reason]
}
test('failure: all that took it had no room, so it is a lack of workers: 503', () => {
  given(started, locked, offered, assigned)
    .when(failure('worker_overloaded'))
    .then('OfferFailed', 'OfferMade')
  const { job } = given(started, locked, offered, assigned, noRoom, offered)
    .when(refused(2), served)
    .then('OfferFailed', 'JobFailed')
  assert.equal(codeOf(job), ['no_workers_available', 'worker_overloaded'])
})
test('failure: one had no room and one failed, so it ran into a fault: 500', () => {
  const fault: JobEvent = { type: 'OfferFailed', excludePool: false, workers: [worker] }
  const { job } = given(started, locked, offered, fault, offered, noRoom, offered)
    .when(refused(3), served)
    .then('OfferFailed', 'JobFailed')
  assert.equal(codeOf(job), ['internal_error', 'attempts_exhausted'])
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

test.run()

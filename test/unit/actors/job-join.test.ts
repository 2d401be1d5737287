import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { due } from '../../../actors/job/due.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import { reply } from '../../../actors/job/view.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import {
  answered,
  assigned,
  expired,
  failed,
  given,
  jobId,
  later,
  locked,
  offered,
  paid,
  started,
  terms,
  wallet,
} from './given.ts'

/** A retried request that waits for a running job, perhaps in another edge. */
const test = suite('job: joined by a retried request')
const join = {
  type: 'JoinJob',
  jobId,
  wallet,
  replyTo: 'edge.e2',
  at: later(30_000),
} as const satisfies JobCommand

test('while it runs, whoever joined last is who waits', () => {
  for (const past of [
    [started],
    [started, locked, offered],
    [started, locked, offered, assigned],
  ]) {
    const joined = given(...past)
      .when(join)
      .then('JobJoined')
    assert.ok(joined.job?.status === 'pending' || joined.job?.status === 'processing')
    assert.equal(joined.job.terms, { ...terms, replyTo: 'edge.e2' })
    const answer = reply(joined.job, joined.decision)
    assert.ok(answer.type === 'accepted' && answer.view.id === jobId && answer.ending === null)
  }
})
test('the edge that joined has its time to be heard of, too', () => {
  const before = given(started, locked, offered)
  const watch = (job: typeof before.job) => due(job!).find(({ type }) => type === 'watch_edge')
  const { job } = before.when(join)
  assert.is(watch(before.job)?.notBefore, later(3_000))
  assert.is(watch(job)?.notBefore, later(33_000))
  assert.is.not(watch(job)?.key, watch(before.job)?.key)
})
test('by the edge that waits already, says nothing', () => {
  given(started, locked)
    .when({ ...join, replyTo: terms.replyTo })
    .thenNothing()
})
test('after its end, says nothing but how it ended', () => {
  for (const [past, ending] of [
    [answered, 'completed'],
    [paid, 'completed'],
    [[started, failed], 'failed'],
    // Told once the refund's hash is known.
    [[started, locked, expired], undefined],
  ] as const) {
    const joined = given(...past).when(join)
    joined.thenNothing()
    const answer = reply(joined.job, joined.decision)
    assert.ok(answer.type === 'accepted' && answer.ending?.type === ending)
  }
})
test("another wallet's job, and one that was abandoned, look like one that is not there", () => {
  const stranger = { ...join, wallet: toAddress(`0x${'9'.repeat(40)}`) }
  for (const past of [[started], answered, paid]) {
    given(...past)
      .when(stranger)
      .thenRefused('job_not_found')
  }
  given({ type: 'JobAbandoned', jobId, wallet }).when(join).thenRefused('job_not_found')
  const unknown = given().when(join)
  assert.equal(reply(unknown.job, unknown.decision), { type: 'unknown_job' })
})

test('cancel: only by the edge that waits now', () => {
  const cancel = { type: 'CancelJob', jobId, at: later(40_000) } as const
  const joined: JobEvent = { type: 'JobJoined', replyTo: join.replyTo, at: join.at }
  const past = [started, locked, offered, assigned, joined]
  for (const torn of [false, true]) {
    given(...past)
      .when({ ...cancel, torn, replyTo: terms.replyTo })
      .thenNothing()
  }
  given(...past)
    .when({ ...cancel, replyTo: 'edge.e2' })
    .then('CancelRequested')
  given(...past)
    .when(cancel)
    .then('CancelRequested')
  given(started, locked)
    .when({ ...cancel, replyTo: terms.replyTo })
    .then('JobFailed')
})

test.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { partitionOfJob } from '../../../actors/job/actor.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import { evolve, type Job } from '../../../actors/job/state.ts'
import type { FailWorker, JobCommand } from '../../../src/messages/job.ts'
import type { JobReply } from '../../../src/messages/job-reply.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'
import { MemoryJournal } from '../../fakes/chain/memory-journal.ts'
import {
  complete,
  completed,
  dispute,
  given,
  jobId,
  later,
  locked,
  offered,
  started,
  wallet,
} from './given.ts'
import { hostJobs, stageJobs } from './job-stage.ts'

/** A host that took a job over while its last owner still wrote: a pool tells its end once. */
const test = suite('job: told of more than its owner has read')

const [partition, subject] = [partitionOfJob(jobId), SUBJECTS.jobJournal(jobId)]
const fail: FailWorker = {
  type: 'FailWorker',
  jobId,
  attempt: 1,
  reason: 'prompt_refused',
  textSent: false,
  at: later(900),
}

/** A host that has read `known`; then the other owner writes `written`. */
async function house(known: readonly JobEvent[], written: readonly JobEvent[]) {
  const journal = new MemoryJournal()
  const write = async (events: readonly JobEvent[], before: readonly JobEvent[]) => {
    if (events.length === 0) return
    const state = [...before, ...events].reduce<Job | undefined>(evolve, undefined)
    const record = { token: 'other', body: { state, events } }
    await journal.append(subject, journal.records.length, record)
  }
  await write(known, [])
  const stage = stageJobs()
  const { bus } = stage
  const host = hostJobs(stage, journal)
  await host.acquire([partition])
  await host.rehydrate([partition], 0)
  const tell = async (command: JobCommand) => {
    const reply = await bus.request<JobReply>(SUBJECTS.jobCommand(jobId), command, 1_000)
    await rest()
    return reply
  }
  assert.is((await tell({ type: 'GetJob', jobId })).type, known.length ? 'accepted' : 'unknown_job')
  await write(written, known)
  const status = async () => {
    const reply = await tell({ type: 'GetJob', jobId })
    return reply.type === 'accepted' ? reply.view.status : reply.type
  }
  return { tell, status }
}

for (const known of [[], [started]]) {
  const all = [started, locked, offered]
  const what = known.length === 0 ? 'a job that it does not know' : 'an offer that it does not know'

  test(`the proof for ${what} completes it`, async () => {
    const { tell, status } = await house(known, all.slice(known.length))
    assert.equal(await tell(complete), { type: 'accepted' })
    assert.is(await status(), 'settling')
  })

  test(`the failure of ${what} ends it`, async () => {
    const { tell, status } = await house(known, all.slice(known.length))
    await tell(fail)
    assert.is(await status(), 'failed')
  })
}

test('a job that exists is not unknown to who asks for it', async () => {
  const { status } = await house([], [started])
  assert.is(await status(), 'pending')
})

test('an answer that it has not heard of can be contested', async () => {
  const { tell, status } = await house([started, locked, offered], [completed])
  assert.is((await tell(dispute)).type, 'accepted')
  assert.is(await status(), 'disputed')
})

test('one that there is not cannot', async () => {
  const { tell } = await house([started, locked, offered], [])
  assert.equal(await tell(dispute), { type: 'refused', reason: 'job_not_completed' })
})

test('what the journal knows nothing of stays unknown', async () => {
  const { tell } = await house([], [])
  assert.equal(await tell(complete), { type: 'unknown_job' })
})

test('late words of an attempt that is over are none that it has not come to', () => {
  const failedOnce: JobEvent = { type: 'OfferFailed', excludePool: false }
  const again: FailWorker = { ...fail, reason: 'worker_lost' }
  given(started, locked, offered, failedOnce, offered).when(again).thenNothing()
  given(started, locked, offered, failedOnce).when(complete).thenNothing()
  const next = { ...complete, attempt: 3 }
  assert.is(given(started, locked, offered, failedOnce, offered).when(next).decision.type, 'behind')
  assert.is(given().when({ type: 'GetJob', jobId }).decision.type, 'behind')
  assert.is(
    given().when({ type: 'AbandonJob', jobId, wallet, at: later(0) }).decision.type,
    'accept',
  )
})

test.run()

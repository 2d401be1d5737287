import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { due } from '../../../actors/job/due.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import { evolve, isRunning, type Job } from '../../../actors/job/state.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import type { StopReply } from '../../../src/messages/pool.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { jobId, locked, offered, started } from './given.ts'
import { stageJobs } from './job-stage.ts'

const test = suite('job: its caller left before a pool had it')
const cancelled: JobEvent = { type: 'CancelRequested' }

/** What the job tells itself when its pool answers to be stopped. */
async function stop(reply: StopReply) {
  const { bus, kind } = stageJobs()
  const job = [started, locked, offered, cancelled].reduce<Job | undefined>(evolve, undefined)!
  const effect = due(job).find(({ type }) => type === 'stop_worker')
  assert.ok(effect?.type === 'stop_worker' && effect.settle)
  const asked: unknown[] = []
  bus.subscribe(SUBJECTS.pool(effect.poolId), (message, _subject, respond) => {
    asked.push(message)
    respond(reply)
  })
  const told: JobCommand[] = []
  const tell = (command: JobCommand) => void told.push(command)
  await kind.run(effect, job, { tell })
  assert.equal(asked, [{ type: 'StopJob', jobId, settle: true, attempt: 1 }])
  return { job, kind, told }
}

test('it ends at once, and its credits go back', async () => {
  const { job, kind, told } = await stop({ type: 'not_taken' })
  assert.is(told.length, 1)
  const decision = kind.decide(job, told[0]!)
  assert.ok(decision.type === 'accept')
  const after = decision.events.reduce<Job | undefined>(evolve, job)!
  assert.ok(!isRunning(after))
  assert.is(after.status, 'failed')
  assert.ok(due(after).some(({ type }) => type === 'refund'))
})

test('a pool that has it tells of its end', async () => {
  assert.equal((await stop({ type: 'taken' })).told, [])
})

test.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { partitionOfJob } from '../../../actors/job/actor.ts'
import { jobPartitions } from '../../../actors/job/resource.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import type { JobReply } from '../../../src/messages/job-reply.ts'
import { type Sender, SUBJECTS } from '../../../src/messages/subjects.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'
import { MemoryJournal } from '../../fakes/chain/memory-journal.ts'
import { confirmLock, confirmSettlement, jobId, start } from './given.ts'
import { stageJobs } from './job-stage.ts'

/** What a host takes from others for the jobs that it holds, and when it answers. */
const test = suite('job: at the door of its host')

const name = `p.${partitionOfJob(jobId)}`

async function open() {
  const { bus, clock, kind } = stageJobs()
  const journal = new MemoryJournal()
  const follower = { changed: () => {}, oldestPending: Number.POSITIVE_INFINITY }
  const copies = { ...follower, drain: async () => {} }
  const house = { shown: undefined as Promise<void> | undefined }
  const jobs = jobPartitions({
    ...{ hostId: 'host', kind, bus, clock, journal, log: makeLog('test', 'silent') },
    views: { ...copies, shown: () => house.shown },
    ...{ facts: copies, meter: { ...follower, released: () => {} } },
  })
  await jobs.acquire([{ name, from: 1, seized: false }])
  await rest()
  const say = (command: JobCommand, sender?: Sender) =>
    bus.request<JobReply>(SUBJECTS.jobCommand(jobId, sender), command, 1_000)
  return Object.assign(house, { bus, clock, journal, jobs, say })
}

test('what is not for its sender to say changes nothing', async () => {
  const { journal, say } = await open()
  const refused = { type: 'refused', reason: 'not_for_this_sender' }
  assert.equal(await say(start, 'pool'), refused)
  assert.is((await say(start, 'edge')).type, 'accepted')
  const { length } = journal.records
  for (const sender of ['edge', 'pool', 'web'] as const) {
    assert.equal(await say(confirmLock, sender), refused)
    assert.equal(await say(confirmSettlement, sender), refused)
  }
  assert.is(journal.records.length, length)
  assert.is((await say(confirmLock)).type, 'accepted', 'the lanes may say it')
})

test('who asks for a job hears of it once its list shows it; nobody else waits for that', async () => {
  const house = await open()
  let show = () => {}
  house.shown = new Promise((resolve) => {
    show = resolve
  })
  assert.is((await house.say(start, 'edge')).type, 'accepted')
  let isAnswered = false
  const question: JobCommand = { type: 'GetJob', jobId }
  const answer = house.say(question, 'edge').then((reply) => {
    isAnswered = true
    return reply
  })
  await rest()
  assert.not.ok(isAnswered)
  show()
  assert.is((await answer).type, 'accepted')
})

test('who leaves says so, once nothing is under way, from its last records on', async () => {
  const { bus, jobs, say } = await open()
  const left: unknown[] = []
  bus.subscribe(SUBJECTS.partitionsLeft, (message) => left.push(message))
  await say(start, 'edge')
  assert.is(jobs.checkpoints?.().get(name), 1)
  await jobs.release([name])
  await rest()
  assert.equal(left, [{ partitions: [partitionOfJob(jobId)], from: 1 }])
})

test.run()

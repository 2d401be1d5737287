import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { partitionOfJob } from '../../../actors/job/actor.ts'
import { jobPartitions } from '../../../actors/job/resource.ts'
import type { LaneIntent } from '../../../src/messages/lane.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'
import { MemoryJournal } from '../../fakes/chain/memory-journal.ts'
import { jobId, start } from './given.ts'
import { stageJobs } from './job-stage.ts'

/** A host that stood still so long that its partitions were taken over, and read, and read again. */
const test = suite('job: an owner that was late')

const partition = partitionOfJob(jobId)
const name = `p.${partition}`

/** Its appends stay on their way until it goes on. */
class HeldJournal extends MemoryJournal {
  #goOn = () => {}
  held: Promise<void> = Promise.resolve()

  hold(): void {
    this.held = new Promise((resolve) => {
      this.#goOn = resolve
    })
  }

  goOn(): void {
    this.#goOn()
  }
}

function makeHost(hostId: string, bus: JobBus, journal: HeldJournal, isSlow: boolean) {
  const { clock, kind } = stageJobs({ bus })
  const follower = { changed: () => {}, oldestPending: Number.POSITIVE_INFINITY }
  const copies = { ...follower, drain: async () => {}, shown: () => undefined }
  const append: HeldJournal['append'] = async (...record) => {
    if (isSlow) await journal.held
    return journal.append(...record)
  }
  const jobs = jobPartitions({
    ...{ hostId, kind, bus, clock, log: makeLog('test', 'silent') },
    ...{ views: copies, facts: copies, meter: { ...follower, released: () => {} } },
    journal: {
      append,
      last: (subject) => journal.last(subject),
      read: (from, each) => journal.read(from, each),
      lastSequence: () => journal.lastSequence(),
    },
  })
  return { jobs, clock }
}

test('what it wrote after that is carried on by whoever has its partitions', async () => {
  const bus = new JobBus()
  const journal = new HeldJournal()
  const slow = makeHost('slow', bus, journal, true)
  const next = makeHost('next', bus, journal, false)
  await slow.jobs.acquire([{ name, from: 1, seized: false }])
  journal.hold()
  const begun = bus.request(SUBJECTS.jobCommand(jobId), start, 1_000)
  await rest()

  await next.jobs.acquire([{ name, from: 1, seized: true }])
  await next.clock.advance(6_000)
  assert.is(journal.records.length, 0, 'read twice, and there is nothing yet')
  const asked: string[] = []
  bus.subscribe(SUBJECTS.lane('lock'), (intents) => {
    asked.push(...(intents as LaneIntent[]).map(({ type }) => type))
  })

  const released = slow.jobs.release([name])
  journal.goOn()
  await Promise.all([begun, released])
  await rest()
  assert.is(journal.records.length, 1)
  assert.equal(asked, ['lock'], 'and it is the next owner that asks: the slow one has given up')
})

test.run()

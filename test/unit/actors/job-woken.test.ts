import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { jobOfSubject, partitionOfJob } from '../../../actors/job/actor.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import { evolve, type Job } from '../../../actors/job/state.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import type { JobReply } from '../../../src/messages/job-reply.ts'
import type { LaneIntent } from '../../../src/messages/lane.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { ActorHost } from '../../../src/runtime/actor-host.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'
import { MemoryJournal } from '../../fakes/chain/memory-journal.ts'
import {
  answered,
  at,
  confirmDispute,
  confirmSettlement,
  dispute,
  expired,
  jobId,
  otherHash,
  paid,
  started,
  uphold,
  wallet,
} from './given.ts'
import { stageJobs } from './job-stage.ts'

/** A job that its host has forgotten, and then hears of a dispute, or of its end. */
const test = suite('job: woken from the journal')

async function house(past: readonly JobEvent[]) {
  const journal = new MemoryJournal()
  const state = past.reduce<Job | undefined>(evolve, undefined)
  await journal.append(SUBJECTS.jobJournal(jobId), 0, {
    token: 'before',
    body: { state, events: past },
  })
  let hosts = 0
  const newHost = async () => {
    const { bus, clock, kind, ledger } = stageJobs()
    const name = `host-${++hosts}`
    let appends = 0
    const host = new ActorHost({
      kind,
      bus,
      journal,
      clock,
      log: makeLog('test', 'silent'),
      token: () => `${name}.${++appends}`,
      commandSubject: SUBJECTS.jobCommands,
      actorOf: jobOfSubject,
      partitionOf: partitionOfJob,
    })
    const asked: LaneIntent[] = []
    bus.subscribe('lane.settle', (intents) => asked.push(...(intents as LaneIntent[])))
    await host.acquire([partitionOfJob(jobId)])
    await host.rehydrate([partitionOfJob(jobId)], 0)
    const tell = async (command: JobCommand) => {
      const reply = await bus.request<JobReply>(SUBJECTS.jobCommand(jobId), command, 1_000)
      await rest()
      assert.ok(reply.type === 'accepted')
      return reply.view
    }
    return { host, tell, asked, clock, released: ledger.released }
  }
  return { journal, newHost }
}

test('a settled job that was forgotten can be disputed, and asks until it hears of it', async () => {
  const { newHost } = await house(paid)
  const { host, tell, asked, clock } = await newHost()
  assert.is(host.size, 0, 'forgotten')
  assert.is((await tell(dispute)).status, 'disputed')
  const intent = { type: 'dispute', jobId, claimedHash: otherHash }
  assert.equal(asked, [intent])
  await clock.advance(7_000)
  assert.equal(asked, [intent, intent, intent])
  await tell(confirmDispute)
  await clock.advance(7_000)
  assert.is(asked.length, 3)
  assert.is(host.size, 0, 'at rest until arbitration ends')
})

test('a dispute that was journalled is carried on by the next host', async () => {
  const { newHost } = await house(answered)
  const first = await newHost()
  await first.tell(dispute)
  assert.ok(first.asked.every(({ type }) => type === 'settle'))
  const second = await newHost()
  assert.is(second.host.size, 1)
  await second.tell(confirmSettlement)
  assert.is(second.asked.at(-1)?.type, 'dispute')
  await second.tell(confirmDispute)
  const third = await newHost()
  assert.is(third.host.size, 0)
  assert.is((await third.tell(uphold)).status, 'refunded')
})

const abandon: JobCommand = { type: 'AbandonJob', jobId, wallet, at }
const lockRefused: JobEvent = { type: 'LockRefused' }

test('one that will never lock gives its reservation back, however often it is asked', async () => {
  const { newHost } = await house([started, expired, lockRefused])
  const { host, tell, released } = await newHost()
  assert.is(host.size, 0, 'forgotten, and perhaps killed before it gave the credits back')
  await tell(abandon)
  assert.ok(released.includes(jobId))
})

test('one that has ended, but whose lock may still come, keeps its reservation', async () => {
  const { newHost } = await house([started, expired])
  const { host, tell, released } = await newHost()
  await tell(abandon)
  assert.equal(released, [])
  assert.is(host.size, 1, 'it asks the lane until it knows')
})

test('what was written before jobs could be disputed can be', async () => {
  const { journal, newHost } = await house(paid)
  const { state } = journal.records[0]!.body as { state: Job }
  assert.not.ok('dispute' in state, 'the record of a plain job is as it was')
  const { tell } = await newHost()
  await tell(dispute)
})

test.run()

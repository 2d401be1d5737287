import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { partitionOfJob } from '../../../actors/job/actor.ts'
import { dueAhead } from '../../../actors/job/due.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import type { World } from '../../../actors/job/world.ts'
import type { JobCommand, StartJob } from '../../../src/messages/job.ts'
import type { OfferJob, PoolSummary } from '../../../src/messages/pool.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { rest } from '../../fakes/chain/manual-clock.ts'
import { MemoryJournal } from '../../fakes/chain/memory-journal.ts'
import {
  assigned,
  at,
  complete,
  confirmLock,
  failure,
  given,
  jobId,
  keys,
  locked,
  noPool,
  offered,
  onePool,
  start,
  started,
  terms,
} from './given.ts'
import { hostJobs, stageJobs } from './job-stage.ts'

/** Its pool is chosen before the lock is asked for, and it goes out while the record of the lock is written. */
const First = suite('job: its first offer')

const chosen: JobEvent = { type: 'JobStarted', terms, poolId: 'pool-1' }
const otherPool: World = { ...onePool, choosePool: () => 'pool-2' }

First('the pool is written with the start', () => {
  const { decision } = given().when(start).then('JobStarted')
  assert.ok(decision.type === 'accept')
  assert.equal(decision.events, [chosen])
  const without = given().when(start, noPool).then('JobStarted').decision
  assert.ok(without.type === 'accept')
  assert.equal(without.events, [started])
})

First('it gets the offer, whatever pool another owner would choose by now', () => {
  for (const world of [otherPool, noPool]) {
    const { job } = given(chosen).when(confirmLock, world).then('LockConfirmed', 'OfferMade')
    assert.ok(keys(job).includes('offer.1'))
    assert.equal(
      dueAhead(given(chosen).job!, job!).map(({ key, type }) => [key, type]),
      [['offer.1', 'offer']],
    )
  }
})

First('a job of an earlier version, and every offer but the first, waits for its record', () => {
  const old = given(started)
  assert.equal(dueAhead(old.job!, old.when(confirmLock).job!), [])
  const running = given(chosen, locked, offered)
  const next = running.when(failure('worker_lost')).then('OfferFailed', 'OfferMade').job
  assert.ok(keys(next).includes('offer.2'))
  assert.equal(dueAhead(running.job!, next!), [])
  const taken = given(chosen, locked, offered, assigned).job!
  assert.equal(dueAhead(running.job!, taken), [])
})

First('who made it may have died before it wrote so: its pool has to say it again', () => {
  for (const report of [complete, failure('worker_lost')]) {
    assert.equal(given(chosen).when(report).decision, { type: 'behind', unanswered: true })
    given(chosen, locked, offered).when(report, otherPool)
  }
  const later = { ...failure('worker_lost'), attempt: 2 } as JobCommand
  assert.equal(given(chosen, locked, offered).when(later).decision, { type: 'behind' })
})

First('and where the job ends before it is written, that pool is told', () => {
  const { job } = given(chosen).when({ type: 'CancelJob', jobId, at }).then('JobFailed')
  assert.ok(keys(job).includes('stop_worker.false'))
})

async function house(command: StartJob) {
  const journal = new MemoryJournal()
  const { bus, clock, kind, pools } = stageJobs()
  void pools.start()
  await rest()
  const load = { workers: 1, slots: 1, busy: 0, queued: 0, contextWindow: 1, completionRate: 1 }
  const models = { [terms.model]: { ...load, firstTokenMs: null, firstTokensMs: [], measured: 0 } }
  bus.publish(SUBJECTS.poolSummary, { poolId: 'pool-1', draining: false, models } as PoolSummary)
  const offers: OfferJob[] = []
  bus.subscribe(SUBJECTS.pool('pool-1'), (message, _subject, respond) => {
    if ((message as OfferJob).type === 'OfferJob') offers.push(message as OfferJob)
    respond({ type: 'taken' })
  })
  const host = hostJobs({ kind, bus, clock }, journal)
  await host.acquire([partitionOfJob(jobId)])
  const tell = async (said: JobCommand) => {
    await bus.request(SUBJECTS.jobCommand(jobId), said, 1_000)
    await rest()
  }
  await tell(command)
  await tell(confirmLock)
  return { tell, offers, written: () => JSON.stringify(journal.records, withCredits) }
}
const withCredits = (_: string, value: unknown) =>
  typeof value === 'bigint' ? String(value) : value

First('brings the prompt, which no journal holds; the next one leaves it to the edge', async () => {
  const messages = [{ role: 'user' as const, content: 'a prompt that nobody else may read' }]
  const prompt = { model: terms.model, messages, sampling: {} }
  const begin = start as StartJob
  const { tell, offers, written } = await house({ ...begin, key: { ...begin.key, prompt } })
  assert.equal(
    offers.map(({ attempt, prompt }) => [attempt, prompt]),
    [[1, prompt]],
  )
  await tell(failure('worker_lost'))
  assert.equal(
    offers.map(({ attempt, prompt }) => [attempt, prompt]),
    [
      [1, prompt],
      [2, undefined],
    ],
  )
  assert.match(written(), 'JobStarted')
  assert.not.match(written(), messages[0]!.content)
})

First.run()

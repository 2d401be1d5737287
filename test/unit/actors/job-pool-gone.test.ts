import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { jobKind } from '../../../actors/job/actor.ts'
import type { JobEffect } from '../../../actors/job/due.ts'
import { Edges } from '../../../actors/job/edges.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import { Pools } from '../../../actors/job/pools.ts'
import { evolve, type Job } from '../../../actors/job/state.ts'
import type { JobCommand } from '../../../src/messages/job.ts'
import { JobBus } from '../../fakes/chain/job-bus.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { RecordingLedger } from '../../fakes/chain/recording-ledger.ts'
import { MemoryOutputs } from '../../fakes/memory-outputs.ts'
import { assigned, disputeWindowMs, jobId, locked, offered, started, terms } from './given.ts'

/** Its pool has gone without a word: only the edge knows whether a caller has seen some text. */
const test = suite('job: its pool is gone')

const watch: JobEffect = { key: 'watch_pool.1', type: 'watch_pool', poolId: 'pool-1', attempt: 1 }
const running = [started, locked, offered, assigned]

/** What the job tells itself once it looks. */
async function look(past: readonly JobEvent[], answer?: boolean | 'none') {
  const bus = new JobBus()
  const clock = new ManualClock()
  const asked: unknown[] = []
  if (answer !== undefined) {
    bus.subscribe(terms.replyTo, (question, _subject, respond) => {
      asked.push(question)
      if (answer !== 'none') respond(answer)
    })
  }
  const pools = new Pools(bus, clock)
  pools.isGone = () => true
  const ports = { bus, clock, pools, ledger: new RecordingLedger(), outputs: new MemoryOutputs() }
  const around = {
    edges: new Edges(bus, clock),
    keyProofs: { holds: () => true },
    isWatched: () => false,
  }
  const kind = jobKind({ ...ports, ...around }, { disputeWindowMs })
  const told: JobCommand[] = []
  const tell = (command: JobCommand) => void told.push(command)
  const job = past.reduce<Job | undefined>(evolve, undefined)!
  await kind.run(watch, job, { tell, cancelled: () => false })
  const said = told.map((each) => [each.type, 'textSent' in each && each.textSent])
  return { said, asked }
}

test('a stream: the edge says whether a caller has seen some of it', async () => {
  const question = { type: 'ask_text_sent', jobId }
  for (const textSent of [true, false]) {
    assert.equal(await look(running, textSent), {
      said: [['FailWorker', textSent]],
      asked: [question],
    })
  }
})
test('an edge that is gone has nobody who saw it', async () => {
  assert.equal((await look(running)).said, [['FailWorker', false]])
})
test('an edge that does not answer is asked again at the next look', async () => {
  assert.equal((await look(running, 'none')).said, [])
})
test('who cannot have seen any is not asked for', async () => {
  const plain: JobEvent = { type: 'JobStarted', terms: { ...terms, stream: false } }
  for (const past of [
    [plain, locked, offered, assigned],
    [started, locked, offered],
    [...running, { type: 'CancelRequested' } as const],
  ]) {
    assert.equal(await look(past, true), { said: [['FailWorker', false]], asked: [] })
  }
})

test.run()

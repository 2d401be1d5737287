import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { partitionOfJob } from '../../../actors/job/actor.ts'
import type { JobEvent } from '../../../actors/job/events.ts'
import { evolve, type Job } from '../../../actors/job/state.ts'
import { JobTraces } from '../../../actors/job/traces.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { addMs } from '../../../src/domain/time.ts'
import { namedSpan, traceparentOf } from '../../../src/domain/traceparent.ts'
import type { Traces, WholeSpan } from '../../../src/telemetry/traces.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import {
  assigned,
  at,
  completed,
  hash,
  jobId,
  locked,
  offered,
  terms,
  tx,
  worker,
} from './given.ts'

const Tracing = suite('job: its span')

const trace = traceparentOf('a'.repeat(32), 'b'.repeat(16))
const begun: JobEvent = { type: 'JobStarted', terms: { ...terms, trace } }
const untraced: JobEvent = { type: 'JobStarted', terms }
const settled: JobEvent = { type: 'SettlementConfirmed', tx, block: 9, charged: toCredits(1) }

/** A host that sees jobs, and the spans that it tells of. */
function host() {
  const told: WholeSpan[] = []
  const clock = new ManualClock()
  const traces = { record: (span: WholeSpan) => told.push(span) } as unknown as Traces
  const seen = new JobTraces({ traces, clock })
  let job: Job | undefined
  const see = async (how: 'read' | undefined, events: readonly JobEvent[]) => {
    for (const event of events) {
      await clock.advance(10)
      job = evolve(job, event)
      seen.changed(jobId, 1, job, how)
    }
  }
  return {
    told,
    seen,
    appends: (...events: JobEvent[]) => see(undefined, events),
    /** Only what they come to together is seen. */
    appendsAtOnce: async (...events: JobEvent[]) => {
      for (const event of events.slice(0, -1)) job = evolve(job, event)
      await see(undefined, events.slice(-1))
    },
    reads: (...events: JobEvent[]) => see('read', events),
  }
}

const namesOf = (span: WholeSpan | undefined) => span?.events.map(({ name }) => name)

Tracing('one span from its making to its rest, with an event a stage, at its time', async () => {
  const { appends, told } = host()
  await appends(begun, locked, offered, assigned, completed)
  assert.is(told.length, 0)
  await appends(settled)
  const [span] = told
  assert.is(told.length, 1)
  assert.is(span?.parent, trace)
  assert.is(span?.context, namedSpan(trace, jobId))
  assert.is(span?.start, at)
  assert.is(span?.end, at + 60)
  assert.equal(
    span?.events.map(({ name, at: then }) => [name, then - at]),
    [
      ['locked', 20],
      ['offered', 30],
      ['assigned', 40],
      ['completed', 50],
      ['settled', 60],
    ],
  )
  assert.is(span?.attributes['svc.status'], 'settled')
  assert.is(span?.attributes['svc.tokens'], 600)
  assert.is(span?.attributes['error.type'], undefined)
  assert.not(JSON.stringify(span).includes(terms.wallet))
})

Tracing(
  'a worker heard of only with its answer is told of, at the time that it took the job',
  async () => {
    const { appends, appendsAtOnce, told } = host()
    await appends(begun, locked, offered)
    const takenAt = addMs(at, 35)
    const late: JobEvent = { type: 'WorkerAssigned', worker, workerId: 3, takenAt }
    await appendsAtOnce(late, completed)
    await appends(settled)
    assert.equal(namesOf(told[0]), ['locked', 'offered', 'assigned', 'completed', 'settled'])
    assert.is(told[0]?.events[2]?.at, takenAt)
  },
)

Tracing('of a job that is not traced, nothing', async () => {
  const { appends, told } = host()
  await appends(untraced, locked, offered, assigned, completed, settled)
  assert.equal(told, [])
})

Tracing('one that came from another host is told of here, from where it came in', async () => {
  const { reads, appends, told } = host()
  await reads(begun, locked, offered, assigned)
  await appends(completed, settled)
  assert.equal(namesOf(told[0]), ['taken over', 'completed', 'settled'])
  assert.is(told[0]?.start, at)
  assert.is(told[0]?.context, namedSpan(trace, jobId), 'the place that others know of')
})

Tracing('one that ended elsewhere is told of there, and one that went on there', async () => {
  const elsewhere = host()
  await elsewhere.reads(begun, locked, offered, assigned, completed, settled)
  assert.equal(elsewhere.told, [])

  const left = host()
  await left.appends(begun, locked)
  left.seen.released([partitionOfJob(jobId)])
  await left.reads(offered, assigned, completed, settled)
  assert.equal(left.told, [])
})

Tracing('a dispute, after it was told of, makes no second span of the same id', async () => {
  const { appends, told } = host()
  await appends(begun, locked, offered, assigned, completed, settled)
  await appends({ type: 'JobDisputed', requestId: 'r', claimedHash: hash })
  await appends({ type: 'DisputeConfirmed', tx, block: 12, claimedHash: hash })
  assert.is(told.length, 1)
})

Tracing('a second worker is seen; a failure says why, and when its credits are back', async () => {
  const { appends, told } = host()
  const lost: JobEvent = { type: 'OfferFailed', excludePool: false }
  const refusal = {
    code: 'internal_error',
    message: 'private words',
    reason: 'worker_lost',
  } as const
  const failed: JobEvent = { type: 'JobFailed', refusal, at }
  await appends(begun, locked, offered, assigned, lost, offered, assigned, failed)
  await appends({ type: 'RefundConfirmed', tx, block: null })
  assert.equal(told, [])
  await appends({ type: 'RefundConfirmed', tx, block: 12 })
  assert.equal(namesOf(told[0]), [
    ...['locked', 'offered', 'assigned', 'offered', 'assigned', 'failed', 'refunded'],
  ])
  assert.is(told[0]?.attributes['error.type'], 'worker_lost')
  assert.not(JSON.stringify(told).includes('private words'))
})

Tracing.run()

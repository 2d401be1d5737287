import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Failure_Reason, Refusal_Reason } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { addMs } from '../../../src/domain/time.ts'
import type { OfferJob } from '../../../src/messages/pool.ts'
import { Attempt } from '../../../src/pool/attempt/attempt.ts'
import type { AttemptDeps } from '../../../src/pool/attempt/attempt-deps.ts'
import { EdgeOutbox } from '../../../src/pool/attempt/edge-outbox.ts'
import { Placements } from '../../../src/pool/placement/placement.ts'
import type { PoolReport } from '../../../src/pool/report.ts'
import type { Session } from '../../../src/pool/session/session.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { MemoryOutputs } from '../../fakes/memory-outputs.ts'
import { A, job, W1 } from '../../fakes/pool/registry-house.ts'
import { TurnBus } from '../../fakes/pool/turn-bus.ts'

/** A worker that lives, has begun an answer, and says no more of it. */
const Silent = suite('pool: silent in the middle of an answer')

const JOB = job(1)

async function offered() {
  const clock = new ManualClock()
  const cancels: string[] = []
  const settles: boolean[] = []
  const session = {
    profile: { address: A, workerId: 1, models: new Map([['m', 4_096]]), slots: 1 },
    ...{ address: A, isSuspended: false, releasing: new Map() },
    ...{ send: () => {}, jobEnded: () => {} },
    cancel: (jobId: string, settle: boolean) => {
      cancels.push(jobId)
      settles.push(settle)
    },
  }
  const told: PoolReport[] = []
  const unheard = () => {}
  const placements = new Placements(clock, {
    held: (_jobId, at) => attempt.held(at),
    running: () => [],
    ...{ stranded: unheard, lost: unheard, membersChanged: unheard, broke: unheard },
    ...{ firstText: unheard, standingChanged: unheard },
  })
  const worker = session as unknown as Session
  placements.join(worker, session.profile.models)
  const outputs = new MemoryOutputs()
  const prompt = { model: 'm', messages: [], sampling: {} }
  const bus = new TurnBus()
  const offer = {
    ...{ type: 'OfferJob', jobId: JOB, attempt: 1, wallet: W1, model: 'm', outputTokensMax: 100 },
    ...{ replyTo: 'edge', exclude: [], deadlineAt: addMs(clock.now(), 120_000) },
  } as unknown as OfferJob
  const deps = {
    ...{ placements, outputs, bus, clock, wall: clock, outbox: new EdgeOutbox(bus) },
    ...{ log: makeLog('test', 'silent'), onEnded: unheard },
    counts: { failed: unheard },
    jobs: { tell: async (report: PoolReport) => void told.push(report) },
  } as unknown as AttemptDeps
  const attempt: Attempt = new Attempt(offer, deps, prompt)
  attempt.begin()
  await clock.advance(10)
  const says = (seq: number, text: string) => attempt.chunk(worker, { jobId: JOB, seq, text })
  const failures = () => told.flatMap((one) => (one.type === 'FailWorker' ? one : []))
  const failed = () => failures().map(({ reason }) => reason)
  const standing = () => placements.standings(() => 0, clock.now())(A)
  return {
    ...{ clock, session, worker, placements, attempt, cancels, settles, says },
    ...{ failures, failed, standing },
  }
}

async function begun() {
  const house = await offered()
  house.attempt.accepted(house.worker)
  house.says(0, 'One')
  return house
}

Silent('is given up after 45 s, told to stop, and held to it', async () => {
  const { clock, cancels, failed, standing } = await begun()
  await clock.advance(44_000)
  assert.equal([failed(), cancels], [[], []])
  await clock.advance(2_000)
  assert.equal([failed(), cancels], [['worker_error'], [JOB]])
  assert.is(standing()?.jobsFailed, 1)
})

Silent('one that goes on, be it by an empty piece, has its time anew', async () => {
  const { clock, says, failed } = await begun()
  await clock.advance(40_000)
  says(1, '')
  await clock.advance(40_000)
  says(2, ' two')
  await clock.advance(30_000)
  assert.equal(failed(), [])
})

Silent('the time that its stream was down is not its own', async () => {
  const { clock, session, attempt, failed } = await begun()
  await clock.advance(43_000)
  session.isSuspended = true
  await clock.advance(4_000)
  session.isSuspended = false
  attempt.comebacks.comeBack(session as unknown as Session)
  await clock.advance(40_000)
  assert.equal(failed(), [])
  await clock.advance(30_000)
  assert.equal(failed(), ['worker_error'])
})

Silent.run()

const Asked = suite('pool: asked to end an answer with what there is')

Asked('a worker that does not has five seconds, and then nothing is to be paid', async () => {
  const { clock, attempt, settles, failures, standing } = await begun()
  attempt.stop(true)
  attempt.stop(true)
  assert.equal(settles, [true], 'once')
  await clock.advance(4_900)
  assert.equal(failures(), [])
  await clock.advance(200)
  const [failure, ...more] = failures()
  assert.equal([failure?.reason, failure?.textSent, more.length], ['cancelled', true, 0])
  assert.equal(settles, [true, false], 'it may stop now')
  assert.is(standing()?.jobsFailed, 0)
})

Asked('a worker that gives it up, as it was asked to, has not failed', async () => {
  const { attempt, worker, failed, standing } = await begun()
  attempt.stop(true)
  attempt.failed(worker, { jobId: JOB, reason: Failure_Reason.REASON_CANCELLED, message: '' })
  assert.equal([failed(), standing()?.jobsFailed], [['cancelled'], 0])
})

Asked('one that gives it up unasked has', async () => {
  const { attempt, worker, failed, standing } = await begun()
  attempt.failed(worker, { jobId: JOB, reason: Failure_Reason.REASON_CANCELLED, message: '' })
  assert.equal([failed(), standing()?.jobsFailed], [['worker_error'], 1])
})

Asked.run()

const Wordless = suite('pool: no word of an answer')

Wordless('at the deadline it has failed, and the job is not told: it knows', async () => {
  const { clock, attempt, worker, failed, cancels, standing } = await offered()
  attempt.accepted(worker)
  await clock.advance(119_000)
  assert.is(standing()?.jobsFailed, 0)
  await clock.advance(1_000)
  assert.equal([failed(), cancels, standing()?.jobsFailed], [[], [JOB], 1])
})

Wordless('a worker that refuses because it leaves gets no more jobs', async () => {
  const { attempt, worker, placements, failed } = await offered()
  assert.ok(placements.hasWorkers)
  attempt.refused(worker, Refusal_Reason.REASON_DRAINING)
  assert.equal([failed(), placements.hasWorkers], [['worker_refused'], false])
})

Wordless.run()

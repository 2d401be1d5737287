import { suite } from 'uvu'
import * as assert from 'uvu/assert'
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

async function begun() {
  const clock = new ManualClock()
  const cancels: string[] = []
  const session = {
    profile: { address: A, workerId: 1, models: new Map([['m', 4_096]]), slots: 1 },
    ...{ address: A, isSuspended: false, releasing: new Map() },
    ...{ send: () => {}, jobEnded: () => {}, cancel: (jobId: string) => void cancels.push(jobId) },
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
  attempt.accepted(worker)
  const says = (seq: number, text: string) => attempt.chunk(worker, { jobId: JOB, seq, text })
  says(0, 'One')
  const failed = () => told.flatMap((one) => (one.type === 'FailWorker' ? one.reason : []))
  const standing = () => placements.standings(() => 0, clock.now())(A)
  return { clock, session, attempt, cancels, says, failed, standing }
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

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Jobs, makeJobs } from '../../../src/api/jobs/jobs.ts'
import { makeJobId, type TxHash } from '../../../src/domain/ids.ts'
import { addMs } from '../../../src/domain/time.ts'
import { makeRunJob, type WaitingCaller } from '../../../src/edge/chat/run-job.ts'
import type { TakenOn } from '../../../src/edge/chat/take-on.ts'
import { FollowedJob } from '../../../src/edge/waiting/follow-job.ts'
import type { Outcome } from '../../../src/edge/waiting/outcome.ts'
import type { WaitedJob } from '../../../src/edge/waiting/waited-job.ts'
import type { EdgeEnding, JobReply } from '../../../src/messages/job-reply.ts'
import { type Bus, RequestTimeout } from '../../../src/ports/bus.ts'
import type { Outputs } from '../../../src/ports/outputs.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { start } from '../actors/given.ts'

/** An edge that stood still, as one whose machine was paused, while it began a job. */
const StoodStill = suite('edge: stood still')

StoodStill('nothing is said to a job once nobody waits for its answer any more', async () => {
  const clock = new ManualClock()
  let said = 0
  const bus = {
    request: async (subject: string) => {
      said++
      throw new RequestTimeout(subject, 2_000)
    },
  } as unknown as Bus
  assert.is(start.type, 'StartJob')
  if (start.type !== 'StartJob') return
  const jobs = makeJobs({ bus, clock, log: makeLog('test', 'silent'), replyTo: 'edge.one' })
  const begun = jobs.start(start)
  await clock.advance(150)
  assert.is(said, 2, 'it is said again')
  clock.standStill(30_000)
  await clock.advance(0)
  assert.is(await begun, 'unknown')
  assert.is(said, 2)
})

StoodStill(
  'a job that began after its window has closed is free, and is not waited for',
  async () => {
    for (const [stoodMs, isLate] of [
      [60_000, false],
      [3 * 3_600_000, true],
    ] as const) {
      const clock = new ManualClock()
      const cancels: unknown[] = []
      const refusals: unknown[] = []
      const followed = { outcome: never, refuse: (refusal: unknown) => refusals.push(refusal) }
      const seat = { followed, follow: () => {}, leave: () => {} }
      const runJob = makeRunJob({
        clock,
        log: makeLog('test', 'silent'),
        waiting: { replyTo: 'edge.one' },
        sharedJobs: { open: () => ({ enter: () => seat }) },
        times: { begin: (_model: string, follower: unknown) => ({ follower, end: () => {} }) },
        jobs: {
          start: async () => {
            clock.standStill(stoodMs)
            return { type: 'accepted' }
          },
          cancel: (...cancel: unknown[]) => cancels.push(cancel),
        },
      } as unknown as Parameters<typeof makeRunJob>[0])
      const job = { ...waited(clock), prompt: { messages: [] } }
      const caller = {
        follower: {},
        hangUp: { happened: false, signal: Promise.resolve('hung_up') },
      }
      const taken = { type: 'admitted', job, key: undefined } as unknown as TakenOn
      await runJob.run(taken, caller as unknown as WaitingCaller, async () => {})
      const free = [[job.jobId, { torn: true, unseen: true }]]
      assert.equal([cancels, refusals.length], isLate ? [free, 1] : [[], 0])
    }
  },
)

const never = new Promise<never>(() => {})

const WINDOW_MS = 120_000

function waited(clock: ManualClock): WaitedJob {
  const at = clock.now()
  return {
    ...{ jobId: makeJobId(at, new Uint8Array(16)), caller: { wallet: '0x' } },
    ...{ at, deadlineAt: addMs(at, WINDOW_MS) },
  } as unknown as WaitedJob
}

const REFUND_TX = `0x${'1'.repeat(64)}` as TxHash

/** Follows a job that is asked for its end, on a clock of its own. */
function followOne(get: Jobs['get']) {
  const clock = new ManualClock()
  const job = waited(clock)
  const jobs = { get, abandon: get } as unknown as Jobs
  const log = makeLog('test', 'silent')
  const outputs = {} as Outputs
  const followed = new FollowedJob({ job, origin: 'begun', jobs, outputs, clock, log })
  clock.every(500, () => followed.tick())
  const told: Outcome[] = []
  void followed.outcome.then((outcome) => told.push(outcome))
  return { clock, followed, told }
}

StoodStill('past the window of a job it asks how the job ended before it gives it up', async () => {
  let ending: EdgeEnding | undefined
  let asked = 0
  const { clock, followed, told } = followOne(async (jobId) => {
    asked++
    if (!ending) return undefined
    return { type: 'accepted', view: { id: jobId }, ending } as unknown as JobReply
  })
  await clock.advance(2_000)
  clock.standStill(170_000)
  await clock.advance(500)
  assert.equal(told, [])
  assert.is(asked, 1)
  // The job's owner stood still, too, and has to return the lock first.
  await clock.advance(3_000)
  assert.equal(told, [])
  const refusal = { code: 'job_timeout', message: '', details: { refund_tx: REFUND_TX } } as const
  ending = { type: 'failed', jobId: followed.jobId, refusal, escrowTx: null }
  await clock.advance(4_000)
  assert.is(told[0]?.type === 'failed' && told[0].refusal.details?.refund_tx, REFUND_TX)
})

StoodStill(
  'a job that says nothing is given up all the same, ten seconds of its own later',
  async () => {
    const { clock, told } = followOne(async () => undefined)
    clock.standStill(170_000)
    await clock.advance(8_000)
    assert.equal(told, [])
    await clock.advance(2_000)
    assert.is(told[0]?.type === 'failed' && told[0].refusal.code, 'internal_error')
  },
)

StoodStill('that a job began stays in doubt until its owner could be asked', async () => {
  const { clock, followed, told } = followOne(async () => undefined)
  followed.doubt({ code: 'service_unavailable', message: 'not begun' })
  await clock.advance(1_000)
  clock.standStill(60_000)
  await clock.advance(5_000)
  assert.equal(told, [])
  await clock.advance(12_000)
  assert.match(told[0]?.type === 'failed' ? told[0].refusal.message : '', 'It is not known')
})

StoodStill.run()

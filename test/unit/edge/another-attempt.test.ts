import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Jobs } from '../../../src/api/jobs/jobs.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import { makeJobId, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { FollowedJob } from '../../../src/edge/waiting/follow-job.ts'
import type { Outcome } from '../../../src/edge/waiting/outcome.ts'
import type { WaitedJob } from '../../../src/edge/waiting/waited-job.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { MemoryOutputs } from '../../fakes/memory-outputs.ts'

/** Of a job that looked for another worker, whether or not somebody had seen how the first one began. */
const Another = suite('edge: another attempt')

const TX = toHex32(`0x${'2'.repeat(64)}`)
const WORKER = toAddress(`0x${'1'.repeat(40)}`)

/**
 * An edge that has heard a piece of the first attempt.
 * @param shown whether what comes is shown at once
 */
function afterFirst(shown: boolean) {
  const clock = new ManualClock()
  const job = { jobId: makeJobId(clock.now(), new Uint8Array(16)) } as WaitedJob
  const outputs = new MemoryOutputs()
  const cancelled: unknown[] = []
  const jobs = {
    cancel: (...said: unknown[]) => cancelled.push(said),
    get: async () => undefined,
  } as unknown as Jobs
  const log = makeLog('test', 'silent')
  const followed = new FollowedJob({ job, origin: 'begun', jobs, outputs, clock, log })
  clock.every(500, () => followed.tick())
  const texts: string[] = []
  followed.follow({
    onText: (text) => texts.push(text),
    onTick: () => {},
    get committed() {
      return shown && texts.length > 0
    },
  })
  const told: Outcome[] = []
  void followed.outcome.then((outcome) => told.push(outcome))
  const { jobId } = job
  const head = { worker: WORKER, escrowTx: TX }
  const begin = (attempt: number, text: string) =>
    followed.hear({ type: 'chunk', jobId, attempt, seq: 0, text, head })
  begin(1, 'first')
  return {
    ...{ clock, jobId, followed, texts, told, cancelled },
    beginSecond: () => begin(2, 'second'),
    endWithSecond: () => {
      outputs.answers.set(jobId, 'second')
      followed.hear({
        ...{ type: 'completed', jobId, attempt: 2, chunks: 1, escrowTx: TX },
        ...{ worker: WORKER, outputHash: outputHash('second'), finishReason: 'stop' },
        ...{ charged: toCredits(8), lock: toCredits(20) },
        usage: { promptTokens: 1, completionTokens: 1 },
      })
    },
  }
}

Another('a caller that has seen the first never gets both, and is told what it pays', async () => {
  for (const isHeard of [true, false]) {
    const { clock, jobId, followed, texts, told, ...does } = afterFirst(true)
    if (isHeard) does.beginSecond()
    does.endWithSecond()
    await clock.advance(1_000)
    const [outcome] = told
    assert.ok(outcome?.type === 'failed')
    const { code, details } = outcome.refusal
    assert.equal([code, details], ['answer_gone', { job_id: jobId, credits_charged: 8 }])
    assert.is(outcome.job.worker, WORKER)
    assert.is(followed.charged, 8n, 'no more than the rest of the lock is on its way back')
    assert.equal(texts, ['first'])
    assert.is(does.cancelled.length, isHeard ? 1 : 0, 'what is over is not cancelled')
  }
})

Another('it is told that it pays nothing once the job has said so', async () => {
  const { clock, jobId, followed, texts, told, beginSecond, cancelled } = afterFirst(true)
  beginSecond()
  beginSecond()
  assert.equal(cancelled, [[jobId, { torn: true }]])
  await clock.advance(2_000)
  assert.equal(told, [], 'it may have been answered before it was stopped')
  const refusal = { code: 'internal_error', message: 'All credits are returned.' } as const
  followed.hear({ type: 'failed', jobId, refusal, escrowTx: TX, worker: WORKER })
  await clock.advance(0)
  assert.equal(told[0], {
    ...{ type: 'failed', refusal },
    job: { escrowTx: TX, worker: WORKER, settlementTx: undefined },
  })
  assert.equal(texts, ['first'])
})

Another('one that has seen nothing gets the second, whole', async () => {
  const { clock, told, endWithSecond } = afterFirst(false)
  endWithSecond()
  await clock.advance(1_000)
  assert.is(told[0]?.type === 'completed' && told[0].text, 'second')
})

Another.run()

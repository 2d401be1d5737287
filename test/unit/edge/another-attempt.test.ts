import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Jobs } from '../../../src/api/jobs/jobs.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import { makeJobId, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { FollowedJob } from '../../../src/edge/waiting/follow-job.ts'
import type { WaitedJob } from '../../../src/edge/waiting/waited-job.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { MemoryOutputs } from '../../fakes/memory-outputs.ts'

/** A job says that it has ended with an attempt of which nothing has come. */
const Another = suite('edge: an end of another attempt')

const TX = toHex32(`0x${'2'.repeat(64)}`)
const WORKER = toAddress(`0x${'1'.repeat(40)}`)

/**
 * Hears a piece of the first attempt and the end of the second, whose answer is stored.
 * @param shown whether what comes is shown at once
 */
async function endOf(shown: boolean) {
  const clock = new ManualClock()
  const job = { jobId: makeJobId(clock.now(), new Uint8Array(16)) } as WaitedJob
  const outputs = new MemoryOutputs()
  outputs.answers.set(job.jobId, 'second')
  const cancelled: unknown[] = []
  const jobs = { cancel: (jobId: string) => cancelled.push(jobId) } as unknown as Jobs
  const log = makeLog('test', 'silent')
  const followed = new FollowedJob({ job, origin: 'begun', jobs, outputs, clock, log })
  const texts: string[] = []
  followed.follow({
    onText: (text) => texts.push(text),
    onTick: () => {},
    get committed() {
      return shown && texts.length > 0
    },
  })
  const head = { worker: WORKER, escrowTx: TX }
  followed.hear({ type: 'chunk', jobId: job.jobId, attempt: 1, seq: 0, text: 'first', head })
  followed.hear({
    ...{ type: 'completed', jobId: job.jobId, attempt: 2, chunks: 1, escrowTx: TX },
    ...{ worker: WORKER, outputHash: outputHash('second'), finishReason: 'stop' },
    ...{ charged: toCredits(8), lock: toCredits(8) },
    usage: { promptTokens: 1, completionTokens: 1 },
  })
  await clock.advance(1_000)
  return { outcome: await followed.outcome, texts, cancelled }
}

Another('a caller that has seen the first is told of the loss, and never gets both', async () => {
  const { outcome, texts, cancelled } = await endOf(true)
  assert.ok(outcome.type === 'failed')
  assert.equal([outcome.refusal.code, outcome.job.worker], ['internal_error', WORKER])
  assert.equal(texts, ['first'])
  assert.equal(cancelled, [], 'it is over')
})

Another('one that has seen nothing gets the second, whole', async () => {
  const { outcome } = await endOf(false)
  assert.is(outcome.type === 'completed' && outcome.text, 'second')
})

Another.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Jobs } from '../../../src/api/jobs/jobs.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { makeJobId, toAddress, toHex32 } from '../../../src/domain/ids.ts'
import { FollowedJob } from '../../../src/edge/waiting/follow-job.ts'
import type { WaitedJob } from '../../../src/edge/waiting/waited-job.ts'
import type { Outputs } from '../../../src/ports/outputs.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

/** A job has answered and is charged, and the store that has its text does not say so. */
const Unreadable = suite('edge: an answer that cannot be read')

Unreadable('its caller is told that it is charged, and how not to pay twice', async () => {
  const clock = new ManualClock()
  const hash = toHex32(`0x${'2'.repeat(64)}`)
  const job = { jobId: makeJobId(clock.now(), new Uint8Array(16)) } as WaitedJob
  const outputs = {
    answer: async () => {
      throw new Error('Redis is away')
    },
  } as unknown as Outputs
  const log = makeLog('test', 'silent')
  const jobs = {} as Jobs
  const followed = new FollowedJob({ job, origin: 'joined', jobs, outputs, clock, log })
  followed.hear({
    ...{ type: 'completed', jobId: job.jobId, attempt: 1, chunks: 1, escrowTx: hash },
    ...{ worker: toAddress(`0x${'1'.repeat(40)}`), outputHash: hash, finishReason: 'stop' },
    ...{ charged: toCredits(8), lock: toCredits(8) },
    usage: { promptTokens: 1, completionTokens: 1 },
  })
  await clock.advance(20_000)
  const outcome = await followed.outcome
  assert.ok(outcome.type === 'failed')
  assert.is(outcome.refusal.code, 'service_unavailable')
  assert.match(outcome.refusal.message, /is charged.*`Idempotency-Key`.*not charged twice/)
})

Unreadable.run()

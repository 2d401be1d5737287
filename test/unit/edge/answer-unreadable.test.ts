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

/** @returns the end that is told here, and the messages at `error` */
async function endOf({ isWaitedFor }: { isWaitedFor: boolean }) {
  const clock = new ManualClock()
  const hash = toHex32(`0x${'2'.repeat(64)}`)
  const job = { jobId: makeJobId(clock.now(), new Uint8Array(16)) } as WaitedJob
  const outputs = {
    answer: async () => {
      throw new Error('Redis is away')
    },
  } as unknown as Outputs
  const errors: string[] = []
  const log = makeLog('test', 'error', { write: (line) => errors.push(JSON.parse(line).msg) })
  const jobs = {} as Jobs
  const followed = new FollowedJob({ job, origin: 'joined', jobs, outputs, clock, log })
  const leave = followed.follow({ onText: () => {}, onTick: () => {}, committed: false })
  followed.hear({
    ...{ type: 'completed', jobId: job.jobId, attempt: 1, chunks: 1, escrowTx: hash },
    ...{ worker: toAddress(`0x${'1'.repeat(40)}`), outputHash: hash, finishReason: 'stop' },
    ...{ charged: toCredits(8), lock: toCredits(8) },
    usage: { promptTokens: 1, completionTokens: 1 },
  })
  if (!isWaitedFor) leave()
  await clock.advance(20_000)
  return { outcome: await followed.outcome, errors }
}

Unreadable('its caller is told that it is charged, and how not to pay twice', async () => {
  const { outcome, errors } = await endOf({ isWaitedFor: true })
  assert.ok(outcome.type === 'failed')
  assert.is(outcome.refusal.code, 'service_unavailable')
  assert.match(outcome.refusal.message, /is charged.*`Idempotency-Key`.*not charged twice/)
  assert.equal(errors, ['a part of the answer was lost'])
})

Unreadable('whose caller has left: nobody lacks it, and it is no error', async () => {
  const { outcome, errors } = await endOf({ isWaitedFor: false })
  assert.is(outcome.type, 'failed')
  assert.equal(errors, [])
})

Unreadable.run()

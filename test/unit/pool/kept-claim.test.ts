import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Completion,
  Completion_FinishReason as Finish,
} from '../../../proto/gen/svc/worker/v1/worker.ts'
import { toAddress, toJobId } from '../../../src/domain/ids.ts'
import { addMs } from '../../../src/domain/time.ts'
import { Run } from '../../../src/pool/attempt/run.ts'
import type { JobEnding } from '../../../src/pool/session/session.ts'
import { job } from '../../fakes/chain/intents.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

const Kept = suite('pool: what is kept of a proof')

const JOB = toJobId(job(1))
const WALLET = toAddress(`0x${'1'.repeat(40)}`)

/** What the session remembers of a job that ended with this claim. */
function remembered(claim: Partial<Completion>): JobEnding['claim'] {
  const clock = new ManualClock()
  let ending: JobEnding | undefined
  const session = {
    address: WALLET,
    profile: { workerId: 1 },
    send: () => {},
    jobEnded: (_jobId: string, ended: JobEnding) => {
      ending = ended
    },
  }
  const placements = { firstTokenMs: () => undefined, free: () => {} }
  const deadlineAt = addMs(clock.now(), 60_000)
  const offered = { jobId: JOB, wallet: WALLET, model: 'm', outputTokensMax: 9, deadlineAt }
  const run = new Run(session as never, offered, { clock, placements: placements as never })
  run.offer({ model: 'm', messages: [], sampling: {} })
  run.accept()
  const whole: Completion = {
    ...{ jobId: JOB, outputHash: Buffer.alloc(32), promptTokens: 1, outputTokens: 1, chunks: 0 },
    ...{ completedAt: 1, signature: Buffer.alloc(64), finishReason: Finish.FINISH_REASON_STOP },
    ...claim,
  }
  run.prove(whole, new Uint8Array(32))
  run.end({})
  return ending?.claim
}

Kept('one that the contract could not read is remembered as such, and no more of it', () => {
  for (const claim of [
    { outputHash: Buffer.alloc(10_000_000) },
    { signature: Buffer.alloc(10_000_000) },
    { outputTokens: 2 ** 32 },
    { completedAt: 2 ** 40 },
  ]) {
    assert.is(remembered(claim), 'unreadable')
  }
})

Kept('of one that it could, what it would read, and nothing of the message it came in', () => {
  const message = Buffer.alloc(10_000_000)
  const claim = { outputHash: message.subarray(0, 32), signature: message.subarray(32, 96) }
  const zero = `0x${'0'.repeat(64)}`
  assert.equal(remembered(claim), {
    ...{ outputHash: zero, outputTokens: 1, completedAt: 1, signature: { r: zero, vs: zero } },
  })
})

Kept.run()

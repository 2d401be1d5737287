import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Completion_FinishReason } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { toBytes } from '../../../src/domain/bytes.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { mostUnitsOf } from '../../../src/domain/plausible-tokens.ts'
import { domainSeparator } from '../../../src/domain/proof.ts'
import { toUnixMs, unixSeconds } from '../../../src/domain/time.ts'
import { Answer } from '../../../src/pool/attempt/answer.ts'
import { verifyCompletion } from '../../../src/pool/proof/verify.ts'
import { Identity } from '../../../src/worker/identity.ts'
import { job } from '../../fakes/pool/registry-house.ts'

/** Who signs for few tokens and sends much text lets somebody read for nothing. */
const Long = suite('pool: more text than its tokens can be')

const JOB = job(1)
const NOW = toUnixMs(1_800_000_000_000)
const identity = new Identity(`0x${'7'.repeat(64)}`, undefined)
const contract = toAddress(`0x${'5'.repeat(40)}`)
const separator = domainSeparator({ name: 'JobEscrow', chainId: 1, contract })

/** What becomes of a right proof of so many tokens for a text of so many units. */
function proven(outputTokens: number, units: number) {
  const text = 'x'.repeat(units)
  const hash = outputHash(text)
  const completedAt = unixSeconds(NOW)
  const signed = { jobId: JOB, outputHash: hash, outputTokens, completedAt }
  const claim = {
    ...{ jobId: JOB, outputTokens, completedAt, promptTokens: 1, chunks: 1 },
    outputHash: Buffer.from(toBytes(hash)),
    signature: identity.prove(signed, separator),
    finishReason: Completion_FinishReason.FINISH_REASON_STOP,
  }
  const seen = { jobId: JOB, worker: identity.address, text, chunks: 1 }
  const most = { outputTokensMax: 1_000, promptTokensMost: 1_000 }
  const proof = verifyCompletion(claim, { ...seen, ...most }, separator, NOW)
  return proof.ok ? 'proven' : proof.error.kind
}

Long('a proof is taken up to what such a count can be, and no further', () => {
  const most = mostUnitsOf(2)
  assert.equal([proven(2, most), proven(2, most + 1)], ['proven', 'wrong_tokens'])
  assert.is(proven(3, most + 1), 'proven')
})

Long('text is taken up to what the lock covers, and no further', () => {
  const answer = new Answer(2)
  assert.ok(answer.add({ jobId: JOB, seq: 0, text: 'x'.repeat(mostUnitsOf(2)) }).ok)
  const beyond = answer.add({ jobId: JOB, seq: 1, text: 'x' })
  assert.is(beyond.ok ? undefined : beyond.error.kind, 'answer_too_long')
})

Long.run()

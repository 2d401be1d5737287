import {
  type Completion,
  Completion_FinishReason,
} from '../../../proto/gen/svc/worker/v1/worker.ts'
import { toBytes } from '../../../src/domain/bytes.ts'
import { outputHash } from '../../../src/domain/hash.ts'
import { type JobId, toJobId } from '../../../src/domain/ids.ts'
import { Identity } from '../../../src/worker/identity.ts'
import type { Random } from '../world.ts'
import type { Lie } from './worker-plan.ts'

/** Keys of workers: the same for the same number, made once for all lives. */
export function workerIdentity(n: number): Identity {
  const known = identities.get(n)
  if (known) return known
  const made = new Identity(`0x${(0x7000 + n).toString(16).padStart(64, '0')}`, undefined)
  identities.set(n, made)
  return made
}
const identities = new Map<number, Identity>()

const STRANGER = 0xfff
const OTHER_JOB = toJobId(`job_${'0'.repeat(26)}`)
/** The pool lets clocks be two minutes apart. */
const WRONG_CLOCK_SECONDS = 500

interface Signed {
  readonly jobId: JobId
  readonly text: string
  readonly pieces: number
  readonly outputTokens: number
  /** Unix seconds. */
  readonly completedAt: number
  readonly finishReason: Completion_FinishReason
}

/** The proof of one answer, right but for `lie`. */
export function proofOf(
  answer: Signed,
  identity: Identity,
  escrowSeparator: Uint8Array,
  lie: Lie | undefined,
): Completion {
  const { jobId, text, pieces, finishReason } = answer
  const signed = {
    jobId: lie === 'other_job' ? OTHER_JOB : jobId,
    outputHash: outputHash(lie === 'hash' ? `${text} and more` : text),
    outputTokens: lie === 'tokens' ? answer.outputTokens + 100_000 : answer.outputTokens,
    completedAt: answer.completedAt + (lie === 'clock' ? WRONG_CLOCK_SECONDS : 0),
  }
  const signer = lie === 'signature' ? workerIdentity(STRANGER) : identity
  const signature = signer.prove(signed, escrowSeparator)
  return {
    ...signed,
    jobId,
    outputHash: toBytes(signed.outputHash),
    promptTokens: 7,
    signature: lie === 'malformed' ? signature.subarray(1) : signature,
    finishReason,
    chunks: lie === 'chunks' ? pieces + 1 : pieces,
  }
}

/** Tokens that an honest worker may count for a text: not one for each piece, as engines differ, and none is longer than so. */
const UNITS_PER_TOKEN_MAX = 32

export const countOf = (text: string, most: number, random: Random): number =>
  Math.min(most, text === '' ? 0 : random.between(leastOf(text), Buffer.byteLength(text) + 200))

const leastOf = (text: string): number => Math.ceil(text.length / UNITS_PER_TOKEN_MAX)

export const { FINISH_REASON_STOP, FINISH_REASON_LENGTH } = Completion_FinishReason

import type { Completion as CompletionMessage } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { Completion_FinishReason } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { hex32FromBytes, signatureFromBytes } from '../../domain/bytes.ts'
import type { FinishReason } from '../../domain/chat.ts'
import { outputHash } from '../../domain/hash.ts'
import type { Address, JobId } from '../../domain/ids.ts'
import { mostTokensOf, mostUnitsOf } from '../../domain/plausible-tokens.ts'
import {
  type CompactSignature,
  type Completion,
  completionDigest,
  recover,
} from '../../domain/proof.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { type UnixMs, unixSeconds } from '../../domain/time.ts'
import type { Flaw, FlawKind } from '../../messages/strikes.ts'
import { flaw } from './flaw.ts'

/** What the pool saw of an attempt itself, to hold the worker's claims against. */
export interface Seen {
  readonly jobId: JobId
  readonly worker: Address
  readonly text: string
  readonly chunks: number
  readonly outputTokensMax: number
  readonly promptTokensMost: number
}

export interface Proven {
  readonly completion: Completion
  readonly signature: CompactSignature
  readonly promptTokens: number
  readonly finishReason: FinishReason
}

/** How far the clocks of a worker and of the pool may be apart. */
const CLOCK_SKEW_SECONDS = 120

const FINISH_REASONS: Partial<Record<Completion_FinishReason, FinishReason>> = {
  [Completion_FinishReason.FINISH_REASON_STOP]: 'stop',
  [Completion_FinishReason.FINISH_REASON_LENGTH]: 'length',
  [Completion_FinishReason.FINISH_REASON_CONTENT_FILTER]: 'content_filter',
}

/** Checks a proof of completion as the chain will, and against the text that went out. */
export function verifyCompletion(
  claim: CompletionMessage,
  seen: Seen,
  separator: Uint8Array,
  now: UnixMs,
): Result<Proven, Flaw> {
  const hash = hex32FromBytes(claim.outputHash)
  const signature = signatureFromBytes(claim.signature)
  if (!hash || !signature) {
    return no(
      'malformed_proof',
      'output_hash must be 32 bytes, and signature 64: r and vs of EIP-2098',
    )
  }
  if (claim.chunks !== seen.chunks) {
    return no('wrong_chunks', `it claims ${claim.chunks} chunks, ${seen.chunks} arrived`)
  }
  const wrongTokens = tokensFlaw(claim.outputTokens, seen)
  if (wrongTokens) return no('wrong_tokens', wrongTokens)
  const skew = claim.completedAt - unixSeconds(now)
  if (Math.abs(skew) > CLOCK_SKEW_SECONDS) {
    return no('wrong_clock', `completed_at is ${skew} s from now; is the worker's clock set?`)
  }
  if (hash !== outputHash(seen.text)) {
    return no('wrong_hash', `output_hash is not that of the text it sent${tornIn(seen.text)}`)
  }
  const completion: Completion = {
    jobId: seen.jobId,
    outputHash: hash,
    outputTokens: claim.outputTokens,
    completedAt: claim.completedAt,
  }
  const signer = recover(completionDigest(separator, completion), signature)
  if (signer !== seen.worker) {
    return no('wrong_signature', `signed by ${signer ?? 'nobody'}, not by the worker`)
  }
  const finishReason = FINISH_REASONS[claim.finishReason] ?? 'stop'
  // Nobody pays by this figure, so one that is made up costs the worker nothing, and its caller reads none.
  const promptTokens = Math.min(claim.promptTokens, seen.promptTokensMost)
  return ok({ completion, signature, promptTokens, finishReason })
}

/** What is wrong with a count of output tokens. */
function tokensFlaw(tokens: number, { text, outputTokensMax }: Seen): string | undefined {
  const most = Math.min(outputTokensMax, mostTokensOf(text))
  if (tokens > most) return `it claims ${tokens} output tokens of at most ${most}`
  if (text.length > mostUnitsOf(tokens))
    return `it claims ${tokens} output tokens for a longer text`
  return undefined
}

/** What is no UTF-8 is read as this. An answer may hold it as well, and then its hash is right. */
const tornIn = (text: string): string =>
  text.includes('\u{fffd}') ? ': a character in it was cut in two, or is no UTF-8' : ''

const no = (kind: FlawKind, text: string): Result<never, Flaw> => err(flaw(kind, text))

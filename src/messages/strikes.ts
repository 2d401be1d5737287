import type { Address, Hex32, JobId } from '../domain/ids.ts'
import type { CompactSignature } from '../domain/proof.ts'
import type { UnixMs } from '../domain/time.ts'

/** What a worker did that the protocol or its proof does not allow. Fixed words: they label a count. */
export type FlawKind =
  | 'malformed_proof'
  | 'wrong_hash'
  | 'wrong_signature'
  | 'wrong_tokens'
  | 'wrong_clock'
  | 'wrong_chunks'
  | 'answer_too_long'
  /** Text or a proof of a job that it was offered and has not accepted. */
  | 'not_accepted'
  | 'text_after_end'
  /** Text or a proof of a job that it was never offered. */
  | 'foreign_job'
  | 'second_completion'
  /** Two signed completions of one job that differ. */
  | 'equivocation'

export interface Flaw {
  readonly kind: FlawKind
  /** For people. Never holds text of an answer. */
  readonly text: string
}

/** What is remembered of a worker that broke the rules. Key: its address. */
export interface StrikeRecord {
  readonly worker: Address
  readonly workerId: number
  readonly counts: Partial<Record<FlawKind, number>>
  readonly last: { readonly jobId: string; readonly flaw: Flaw; readonly at: UnixMs }
}

/**
 * Two completions of one job by one worker: what `slashEquivocation` of WorkerStaking takes. Key:
 * `equivocation.<worker>.<jobId>`.
 */
export interface EquivocationRecord {
  readonly worker: Address
  readonly workerId: number
  readonly jobId: JobId
  readonly completions: readonly [SignedCompletion, SignedCompletion]
  readonly at: UnixMs
  /** Absent: the keeper has not dealt with it yet. */
  readonly closed?: { readonly because: EquivocationEnd; readonly at: UnixMs }
}
/** `refused`: the contract will never take it. */
export type EquivocationEnd = 'punished' | 'nothing_at_stake' | 'refused'

export interface SignedCompletion {
  readonly outputHash: Hex32
  readonly outputTokens: number
  /** Unix seconds. */
  readonly completedAt: number
  readonly signature: CompactSignature
}

type Signed = Pick<SignedCompletion, 'outputHash' | 'outputTokens'>

/** As the contract has it: the same answer signed again at another time is no lie. */
export const saysTheSame = (a: Signed, b: Signed): boolean =>
  a.outputHash === b.outputHash && a.outputTokens === b.outputTokens

/** Pattern of all their keys. */
export const EQUIVOCATIONS = 'equivocation.>'
export const equivocationKey = (worker: Address, jobId: JobId): string =>
  `equivocation.${worker}.${jobId}`

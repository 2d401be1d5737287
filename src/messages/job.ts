import type { ChatRequest, FinishReason } from '../domain/chat.ts'
import type { Credits } from '../domain/credits.ts'
import type { Address, Hex32, JobId, TxHash } from '../domain/ids.ts'
import type { CompactSignature } from '../domain/proof.ts'
import type { Tier } from '../domain/tiers.ts'
import type { DurationMs, UnixMs } from '../domain/time.ts'
import type { Traceparent } from '../domain/traceparent.ts'
import type { Usage } from '../domain/usage.ts'
import type { ConfirmDispute, DisputeJob, RefuseDispute, ResolveDispute } from './dispute.ts'

/** What may be said to a job. Every command may arrive twice, late, or after its sender died. */
export type JobCommand =
  | StartJob
  | CancelJob
  | AbandonJob
  | GetJob
  | ConfirmLock
  | RefuseLock
  | AssignWorker
  | RefuseOffer
  | FailWorker
  | CompleteJob
  | ConfirmSettlement
  | RefuseSettlement
  | ConfirmRefund
  | ExpireJob
  | JoinJob
  | DisputeJob
  | ConfirmDispute
  | RefuseDispute
  | ResolveDispute

/** From the edge, once the credits are reserved. Answered after the first append. */
export interface StartJob {
  readonly type: 'StartJob'
  readonly jobId: JobId
  readonly wallet: Address
  /** What the request came with, and what is not kept. Hosts of before keep all that is not in here. */
  readonly key: ShownKey & ShownPrompt & ShownJoin
  readonly model: string
  readonly tier: Tier
  /** Credits reserved, to be locked in escrow. */
  readonly lock: Credits
  /** Tokens the lock covers: the worker stops there. */
  readonly outputTokensMax: number
  /** Text reaches the caller as it comes: once some did, no other worker can begin anew. */
  readonly stream: boolean
  /** The edge that waits: `SUBJECTS.edgeInbox`. */
  readonly replyTo: string
  /** Of the request; in the header of the message. Absent: it is not traced. */
  readonly trace?: Traceparent
  readonly at: UnixMs
  readonly deadlineAt: UnixMs
}

/** The wallet's API key, as those who must not know it are told of it. */
export interface ShownKey {
  /** `apiKeyHash`. */
  readonly hash: string
  /** `keyProof`. */
  readonly proof: string
}

export interface ShownPrompt {
  /** Goes on with the first offer. Absent: it is long, so the pool asks the edge for it. */
  readonly prompt?: ChatRequest
}

export interface ShownJoin {
  /** Absent: its caller gave the request no key of its own. */
  readonly join?: JoinClaim
}

/** A request may be repeated for as long as its job has, and a little more. */
export const JOIN_MARGIN_MS: DurationMs = 30_000

/** What a job that is begun for a request with an `Idempotency-Key` claims: to be the only one of that key. */
export interface JoinClaim {
  /** Of the wallet's requests. */
  readonly key: string
  readonly bodyDigest: string
  /** The job of this key that failed, in whose place this one comes. */
  readonly replaces?: JobId
}

/** A prompt of more characters than this goes from its edge to the pool that needs it, and not by way of the job. */
export const PROMPT_CARRIED_MAX = 16_384

/** From the edge: the caller hung up, or cannot be served on. */
export interface CancelJob {
  readonly type: 'CancelJob'
  readonly jobId: JobId
  /**
   * The caller is still there, but its answer was torn: a later attempt began after text of an
   * earlier one had reached it. Nothing of the job is charged.
   */
  readonly torn?: boolean
  /** Of one that is torn: the caller has left, and has seen none of it. */
  readonly unseen?: boolean
  /** Who cancels. A job that a retried request has joined from another edge ignores this one. */
  readonly replyTo?: string
  readonly at: UnixMs
}

/**
 * From an edge: a retried request waits for this job now, in place of the one that began it.
 * Answered with the job as it is; refused with `job_not_found` where it is another wallet's.
 */
export interface JoinJob {
  readonly type: 'JoinJob'
  readonly jobId: JobId
  readonly wallet: Address
  /** The edge that waits from now on: `SUBJECTS.edgeInbox`. */
  readonly replyTo: string
  readonly at: UnixMs
}

/**
 * From the sweeper of reservations: the edge may have died before it said StartJob. A job that
 * never was gets a tombstone, so that a late StartJob loses; one that exists ignores it.
 */
export interface AbandonJob {
  readonly type: 'AbandonJob'
  readonly jobId: JobId
  readonly wallet: Address
  readonly at: UnixMs
}

export interface GetJob {
  readonly type: 'GetJob'
  readonly jobId: JobId
}

/** From the lock lane: the lock is included. */
export interface ConfirmLock {
  readonly type: 'ConfirmLock'
  readonly jobId: JobId
  readonly tx: TxHash
  readonly block: number
  readonly at: UnixMs
}

/** From the lock lane: this lock never was and never will be. */
export interface RefuseLock {
  readonly type: 'RefuseLock'
  readonly jobId: JobId
  /** A skip reason of JobEscrow, or `abandoned`. */
  readonly reason: string
  /** In which the chain passed the lock over. Absent: it was in none, or an older host says so. */
  readonly block?: number
  readonly at: UnixMs
  /** From the chain watcher: the chain holds this, and what it held before is gone. */
  readonly final?: true
}

/** From a pool: a worker took attempt `attempt`. */
export interface AssignWorker {
  readonly type: 'AssignWorker'
  readonly jobId: JobId
  readonly attempt: number
  readonly worker: Address
  readonly workerId: number
  readonly at: UnixMs
}

/** From the host itself: the pool did not take the offer. */
export interface RefuseOffer {
  readonly type: 'RefuseOffer'
  readonly jobId: JobId
  readonly attempt: number
  readonly reason: OfferRefusalReason
  readonly at: UnixMs
}
export type OfferRefusalReason = 'no_worker' | 'draining' | 'pool_gone'

/** From a pool, or from the host that saw the pool vanish: this attempt will not be finished. */
export interface FailWorker {
  readonly type: 'FailWorker'
  readonly jobId: JobId
  readonly attempt: number
  readonly reason: WorkerFailureReason
  /** Whether any text of this attempt left for the edge. */
  readonly textSent: boolean
  /** Workers of this attempt that must not get the job again, besides the one it was assigned to. */
  readonly workers?: readonly Address[]
  /** For `context_length_exceeded`: up to how many tokens of context were too few. */
  readonly contextAbove?: number
  readonly at: UnixMs
}
export type WorkerFailureReason =
  | 'worker_lost'
  | 'worker_error'
  | 'worker_refused'
  // It has no room now, and nobody is at fault.
  | 'worker_overloaded'
  | 'bad_proof'
  | 'prompt_lost'
  | 'pool_gone'
  | 'cancelled'
  | 'no_worker'
  // The caller's own doing: never retried, never held against the worker.
  | 'context_length_exceeded'
  | 'prompt_refused'

/** From a pool that has checked hash and signature. Acknowledged once journalled. */
export interface CompleteJob {
  readonly type: 'CompleteJob'
  readonly jobId: JobId
  readonly attempt: number
  readonly worker: Address
  readonly workerId: number
  readonly outputHash: Hex32
  readonly usage: Usage
  readonly finishReason: FinishReason
  /** How many numbered chunks carried the text. */
  readonly chunks: number
  /** Unix seconds, as signed. */
  readonly completedAt: number
  readonly signature: CompactSignature
  /** When the worker took the job; absent from pools of earlier versions. */
  readonly takenAt?: UnixMs
  readonly at: UnixMs
}

/** From the chain watcher (or the settle lane): the settlement is confirmed. */
export interface ConfirmSettlement {
  readonly type: 'ConfirmSettlement'
  readonly jobId: JobId
  readonly tx: TxHash
  readonly block: number
  readonly charged: Credits
  /** What was settled, for a job whose journal does not know it. Absent: from an older host. */
  readonly answer?: SettledAnswer
  /** By the watcher, in the chain's order and anew where it goes back; a lane's word may be late. */
  readonly final?: true
  /** By the watcher, after the chain went back: perhaps into a block of the same number. */
  readonly anew?: true
  readonly at: UnixMs
}

export interface SettledAnswer {
  readonly workerId: number
  readonly outputHash: Hex32
}

export interface RefuseSettlement {
  readonly type: 'RefuseSettlement'
  readonly jobId: JobId
  readonly reason: string
  /** In which the chain passed it over. Absent: in none, or from an older host. */
  readonly block?: number
  readonly at: UnixMs
}

/** From the settle lane at broadcast (`block` null), and from the chain watcher once mined. */
export interface ConfirmRefund {
  readonly type: 'ConfirmRefund'
  readonly jobId: JobId
  readonly tx: TxHash
  readonly block: number | null
  /** By the watcher, in the chain's order and anew where it goes back; a lane's word may be late. */
  readonly final?: true
  readonly at: UnixMs
}

/** From the job's own timer. */
export interface ExpireJob {
  readonly type: 'ExpireJob'
  readonly jobId: JobId
  readonly at: UnixMs
}

import type { Credits } from '../domain/credits.ts'
import type { Address, Hex32, JobId } from '../domain/ids.ts'
import type { CompactSignature, Completion } from '../domain/proof.ts'
import type { Tier } from '../domain/tiers.ts'
import type { DurationMs } from '../domain/time.ts'
import type { Traceparent } from '../domain/traceparent.ts'
import type { Lane } from './subjects.ts'

/**
 * What a job wants done on chain. Intents are repeated by the job until the fact arrives, so a
 * lane may forget what it has not yet written to its outbox; it answers a repeated one from there
 * or from the chain.
 */
export type LaneIntent = LockIntent | SettleIntent | RefundIntent | DisputeIntent

interface Traced {
  /**
   * Of the job; absent where that is not traced. Not in a header: one transaction carries many jobs, and
   * the outbox keeps them.
   */
  readonly trace?: Traceparent
}

export interface LockIntent extends Traced {
  readonly type: 'lock'
  readonly jobId: JobId
  readonly wallet: Address
  readonly credits: Credits
  readonly tier: Tier
  /** The job has ended: drop the lock if it is in no transaction yet, and say RefuseLock. */
  readonly abandon: boolean
  /**
   * Its answer is proved, and the chain has gone back behind the lock: it is sent again, though it may have
   * found too few credits in between.
   */
  readonly again?: boolean
}

export interface SettleIntent extends Traced {
  readonly type: 'settle'
  readonly jobId: JobId
  readonly completion: Completion
  readonly workerId: number
  readonly signature: CompactSignature
  /** The edge that waits for the hash (SettlementSent). Absent: nobody does any more. */
  readonly notify?: string
}

export interface RefundIntent extends Traced {
  readonly type: 'refund'
  readonly jobId: JobId
}

/** Sent once the job is settled on chain. */
export interface DisputeIntent extends Traced {
  readonly type: 'dispute'
  readonly jobId: JobId
  /** What the caller says it received. */
  readonly claimedHash: Hex32
}

/** Of the reason why a settlement or a refund was passed over: the chain has no lock for it, or no longer. */
export const findsNoLock = (reason: string): boolean =>
  reason === 'NotLocked' || reason === 'no_event'

/**
 * Of the reason why a lock was passed over: the chain has none of this job, and the wallet cannot pay for one. The
 * contract looks whether it knows the job before it says these, and after `Paused`.
 */
export const cannotLock = (reason: string): boolean =>
  reason === 'InsufficientCredits' || reason === 'SpendLimitReached'

/** Request on `SUBJECTS.workerRegister`; the signature is the worker's, over Registration. */
export interface RegisterWorker {
  readonly signer: Address
  readonly payee: Address
  readonly signature: CompactSignature
}
export type RegisterReply =
  | { readonly type: 'registered'; readonly workerId: number }
  | {
      readonly type: 'refused'
      readonly reason: string
      /** It may be asked again in so many milliseconds; left out: the refusal stands. */
      readonly laterMs?: number
    }

/** On `SUBJECTS.laneHealth`, from the lane's owner. */
export interface LaneHealth {
  readonly lane: Lane
  /** What keeps it from working, and for how long by now. */
  readonly heldUp: { readonly by: HeldUpBy; readonly forMs: DurationMs } | null
  /** Intents that wait or are under way. */
  readonly waiting: number
  /** How long the oldest of them has waited. */
  readonly oldestMs: DurationMs
}
export type HeldUpBy =
  /** The node does not answer, or not as it should. */
  | 'chain'
  /** The external signer does not answer, or not as it should. */
  | 'signer'
  /** The signing address cannot pay for gas. */
  | 'gas_funds'
  /** The signing address has not the role of the escrow that its calls need. */
  | 'role'
  /** The chain asks more than the operator pays. */
  | 'fee_cap'
  /** What the contract lets the operator settle in this hour is used up. */
  | 'settle_cap'

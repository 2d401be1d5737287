import type { Credits } from '../../src/domain/credits.ts'
import type { Refusal } from '../../src/domain/errors.ts'
import type { Address, JobId, TxHash } from '../../src/domain/ids.ts'
import type { Tier } from '../../src/domain/tiers.ts'
import type { UnixMs } from '../../src/domain/time.ts'
import type { Traceparent } from '../../src/domain/traceparent.ts'
import type { WorkerFailureReason } from '../../src/messages/job.ts'

/** Known from the first event on, and never changed but for `replyTo`. */
export interface JobTerms {
  readonly id: JobId
  readonly wallet: Address
  readonly model: string
  readonly tier: Tier
  readonly lock: Credits
  readonly outputTokensMax: number
  readonly stream: boolean
  /** The edge that waits: of the request that began the job, or of the latest that joined it. */
  readonly replyTo: string
  /** Of the request that began it; absent where that is not traced. */
  readonly trace?: Traceparent
  readonly createdAt: UnixMs
  readonly deadlineAt: UnixMs
}

export interface LockedEscrow {
  readonly at: 'locked'
  readonly tx: TxHash
  /** 0: broadcast, and in no block yet. */
  readonly block: number
}

/** Where the job's credits are, as far as we know. */
export type Escrow =
  /** The lock was asked for; it may be on its way. */
  | { readonly at: 'asked' }
  | LockedEscrow
  /** There is no lock and never will be. */
  | { readonly at: 'never' }
  /** On its way back (`refundBlock` null), or back. */
  | {
      readonly at: 'returned'
      readonly tx: TxHash | null
      readonly refundTx: TxHash
      readonly refundBlock: number | null
    }

/** The credits are back by a block, and not only by word of the lane that sent the refund. */
export const isBack = (
  escrow: Escrow,
): escrow is Extract<Escrow, { at: 'returned' }> & { readonly refundBlock: number } =>
  escrow.at === 'returned' && escrow.refundBlock !== null

export interface AssignedWorker {
  readonly address: Address
  readonly id: number
  /** Known of one that the job heard of only with its answer. */
  readonly takenAt?: UnixMs
}

/** Why a job ended without an answer, as its caller is told. */
export interface JobRefusal extends Refusal {
  /** Why, in one word that stays: `reason` of the event `job.failed`. Absent: the code says it. */
  readonly reason?: FailReason
}

export const reasonOf = ({ reason, code }: JobRefusal): string => reason ?? code

type FailReason =
  | 'lock_refused'
  | 'paused'
  | 'prompt_refused'
  | 'attempts_exhausted'
  | 'cancelled'
  | 'settlement_refused'
  | 'refunded_on_chain'
  | WorkerFailureReason

import type { Address, Hex32, JobId, TxHash } from '../domain/ids.ts'
import type { UnixMs } from '../domain/time.ts'

/** What may be said to a job about its dispute; part of `JobCommand`. */

/**
 * From an edge: the caller contests the answer. Refused with the code of a `DisputeRefusal`.
 * Accepted with the job as it is: `disputed`, or unchanged where the hashes agree.
 */
export interface DisputeJob {
  readonly type: 'DisputeJob'
  readonly jobId: JobId
  readonly wallet: Address
  /** Unique to the caller's request: tells its repetition from a second dispute. */
  readonly requestId: string
  readonly receivedHash: Hex32
  readonly at: UnixMs
}
export type DisputeRefusal =
  | 'job_not_found'
  | 'job_not_completed'
  | 'dispute_already_open'
  | 'dispute_window_expired'

/**
 * From the settle lane at broadcast (`block` null) and once included; from the chain watcher, also
 * where the wallet opened it by itself.
 */
export interface ConfirmDispute {
  readonly type: 'ConfirmDispute'
  readonly jobId: JobId
  readonly tx: TxHash
  readonly block: number | null
  /** As the chain has it. */
  readonly claimedHash: Hex32
  readonly at: UnixMs
}

/** From the settle lane: the contract will never open this dispute. */
export interface RefuseDispute {
  readonly type: 'RefuseDispute'
  readonly jobId: JobId
  /** A skip reason of JobEscrow. */
  readonly reason: string
  readonly at: UnixMs
}

/** From the chain watcher: arbitration has ended, or its time ran out (then not upheld). */
export interface ResolveDispute {
  readonly type: 'ResolveDispute'
  readonly jobId: JobId
  /** The caller was right: its credits are back. */
  readonly upheld: boolean
  readonly tx: TxHash
  readonly block: number
  readonly at: UnixMs
}

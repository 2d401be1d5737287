import type { Credits } from '../domain/credits.ts'
import type { Address, JobId } from '../domain/ids.ts'
import type { CompactSignature, Completion } from '../domain/proof.ts'
import type { Tier } from '../domain/tiers.ts'

/**
 * What a job wants done on chain. Intents are repeated by the job until the fact arrives, so a
 * lane may forget what it has not yet written to its outbox; it answers a repeated one from there
 * or from the chain.
 */
export type LaneIntent = LockIntent | SettleIntent | RefundIntent

export interface LockIntent {
  readonly type: 'lock'
  readonly jobId: JobId
  readonly wallet: Address
  readonly credits: Credits
  readonly tier: Tier
  /** The job has ended: drop the lock if it is in no transaction yet, and say RefuseLock. */
  readonly abandon: boolean
}

export interface SettleIntent {
  readonly type: 'settle'
  readonly jobId: JobId
  readonly completion: Completion
  readonly workerId: number
  readonly signature: CompactSignature
  /** The edge that waits for the hash (SettlementSent). */
  readonly notify: string
}

export interface RefundIntent {
  readonly type: 'refund'
  readonly jobId: JobId
}

/** Request on `SUBJECTS.workerRegister`; the signature is the worker's, over Registration. */
export interface RegisterWorker {
  readonly signer: Address
  readonly payee: Address
  readonly signature: CompactSignature
}
export type RegisterReply =
  | { readonly type: 'registered'; readonly workerId: number }
  | { readonly type: 'refused'; readonly reason: string }

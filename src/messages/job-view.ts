import type { Credits } from '../domain/credits.ts'
import type { Address, Hex32, JobId, TxHash } from '../domain/ids.ts'
import type { Tier } from '../domain/tiers.ts'
import type { UnixMs } from '../domain/time.ts'
import type { Usage } from '../domain/usage.ts'

export type JobStatus =
  | 'pending'
  | 'processing'
  | 'settling'
  | 'settled'
  | 'failed'
  | 'refunded'
  | 'disputed'

/** A job as others may see it; the edge turns it into the public Job. Null: not known yet. */
export interface JobView {
  readonly id: JobId
  readonly wallet: Address
  readonly status: JobStatus
  readonly model: string
  readonly tier: Tier
  readonly lock: Credits
  /** 0 until settled. */
  readonly charged: Credits
  readonly worker: Address | null
  readonly createdAt: UnixMs
  readonly completedAt: UnixMs | null
  readonly escrowTx: TxHash | null
  readonly settlementTx: TxHash | null
  readonly refundTx: TxHash | null
  readonly disputeTx: TxHash | null
  /** What the caller says it received; null without a dispute, or where the chain refused it. */
  readonly disputedHash: Hex32 | null
  readonly block: number | null
  readonly proofHash: Hex32 | null
  readonly usage: Usage | null
}

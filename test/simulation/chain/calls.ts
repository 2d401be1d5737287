import type { Address, Hex32, JobId } from '../../../src/domain/ids.ts'
import type { CompactSignature, Completion } from '../../../src/domain/proof.ts'
import type { Hex } from '../../../src/ports/escrow.ts'

/** What a transaction can ask of the contracts, by the names that they have there. */
export type Call =
  | { readonly type: 'lockBatch'; readonly items: readonly LockItem[] }
  | { readonly type: 'settleBatch'; readonly items: readonly SettleItem[] }
  | { readonly type: 'refundBatch'; readonly jobIds: readonly JobId[] }
  | { readonly type: 'disputeBatch'; readonly items: readonly DisputeItem[] }
  | { readonly type: 'refundExpired'; readonly jobId: JobId }
  | { readonly type: 'openDispute'; readonly jobId: JobId; readonly claimedHash: Hex32 }
  | { readonly type: 'resolveDispute'; readonly jobId: JobId; readonly upheld: boolean }
  | { readonly type: 'expireDispute'; readonly jobId: JobId }
  /** Of tokens that the sender holds, and has approved. */
  | { readonly type: 'deposit'; readonly wallet: Address; readonly credits: bigint }
  | { readonly type: 'sweep'; readonly wallet: Address }
  /** The development token's: units out of nothing. */
  | { readonly type: 'mint'; readonly to: Address; readonly units: bigint }
  | ({ readonly type: 'withdraw'; readonly voucher: Hex } & VoucherTerms)
  | { readonly type: 'requestWithdrawal'; readonly credits: bigint }
  | { readonly type: 'cancelWithdrawal' }
  | { readonly type: 'completeWithdrawal'; readonly to: Address }
  | { readonly type: 'setSpendLimit'; readonly creditsPerDay: bigint }
  | { readonly type: 'pause' }
  | { readonly type: 'unpause' }
  | { readonly type: 'setSettleCap'; readonly creditsPerHour: bigint }
  | {
      readonly type: 'grantRole' | 'revokeRole'
      readonly role: LaneRole
      readonly account: Address
    }
  | { readonly type: 'claim'; readonly workerId: number }
  | { readonly type: 'claimTreasury' }
  | ({ readonly type: 'register' } & Registration)
  | { readonly type: 'deactivate'; readonly workerId: number }
  /** Of governance tokens that the sender holds, and has approved; 18 decimals. */
  | { readonly type: 'stake'; readonly workerId: number; readonly amount: bigint }
  | {
      readonly type: 'slashEquivocation'
      readonly workerId: number
      readonly jobId: JobId
      readonly completions: readonly [SignedContent, SignedContent]
    }

export type CallOf<Type extends Call['type']> = Extract<Call, { readonly type: Type }>

/** Which the key of a lane acts in. */
export type LaneRole = 'LOCKER' | 'SETTLER'

export interface LockItem {
  readonly jobId: JobId
  readonly wallet: Address
  readonly credits: bigint
  /** As the chain numbers them. */
  readonly tier: number
}
export interface SettleItem {
  readonly jobId: JobId
  readonly completion: Completion
  readonly workerId: number
  readonly signature: CompactSignature
}
export interface DisputeItem {
  readonly jobId: JobId
  readonly claimedHash: Hex32
}
export interface VoucherTerms {
  readonly credits: bigint
  readonly to: Address
  /** Unix seconds. */
  readonly deadline: number
}
export interface Registration {
  readonly signer: Address
  readonly payee: Address
  readonly signature: CompactSignature
}
/** What a worker signed of a job, apart from the job. */
export interface SignedContent {
  readonly outputHash: Hex32
  readonly outputTokens: number
  readonly completedAt: number
  readonly signature: CompactSignature
}

import type { Hex } from 'viem'
import type { JOB_STATUSES } from '../../../../../chain/abi.ts'

/** What the chain says of one job. Amounts in credits, or in units of the payment token. */
export interface ChainFacts {
  readonly chainId: number
  readonly escrow: Hex
  /** What the contract remembers now. */
  readonly record: {
    readonly status: (typeof JOB_STATUSES)[number]
    readonly wallet: Hex
    readonly credits: bigint
    readonly tier: number
    readonly staked: boolean
  }
  /** Of the events, null where the named transaction holds none of this job. */
  readonly lock: LockFact | null
  readonly settlement: SettlementFact | null
  readonly refund: RefundFact | null
  readonly dispute: DisputeFact | null
  /** The service says in which block it ended. Until then the contract may be ahead of it. */
  readonly isEndTold: boolean
}

export interface At {
  readonly tx: Hex
  readonly block: bigint
}

export interface LockFact extends At {
  readonly wallet: Hex
  readonly credits: bigint
  readonly tier: number
}

export interface SettlementFact extends At {
  readonly workerId: number
  /** Whose key is registered for that worker. */
  readonly registered: Hex
  readonly outputHash: Hex
  readonly outputTokens: number
  readonly charged: bigint
  readonly returned: bigint
  readonly workerUnits: bigint
  readonly treasuryUnits: bigint
  /** From the calldata of the transaction; null where it is no plain batch with this job. */
  readonly signed: SignedFact | null
}

export interface SignedFact {
  readonly workerId: number
  readonly outputHash: Hex
  readonly outputTokens: number
  /** Unix seconds. */
  readonly completedAt: number
  /** Null: it is nobody's signature. */
  readonly signer: Hex | null
}

export interface RefundFact extends At {
  readonly credits: bigint
}
export interface DisputeFact extends At {
  readonly claimedHash: Hex
}

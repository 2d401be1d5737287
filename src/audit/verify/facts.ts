import type { RecordStatus } from '../chain/abi.ts'
import type { CodeFinding } from '../chain/code.ts'

/** All that the chain says of one job. Amounts in credits or token units, times in Unix seconds. */
export interface JobFacts {
  readonly jobId: string
  readonly chainId: number
  readonly escrow: string
  /** Time of the newest block. */
  readonly now: number
  readonly locks: readonly LockFact[]
  readonly settlements: readonly SettlementFact[]
  readonly refunds: readonly RefundFact[]
  readonly disputes: readonly DisputeFact[]
  readonly verdicts: readonly VerdictFact[]
  /** What the contract remembers of the job now. */
  readonly record: JobRecord
  readonly rules: Rules
  readonly code: CodeFinding
  /** `sha256:<hex>` of the text that the caller holds; null: none was given. */
  readonly textHash: string | null
}

export interface At {
  readonly tx: string
  readonly block: number
  readonly time: number
}

export interface LockFact extends At {
  readonly wallet: string
  readonly credits: bigint
  readonly tier: number
  /** What the transaction asked for; null where its calldata is not a plain batch. */
  readonly asked: {
    readonly wallet: string
    readonly credits: bigint
    readonly tier: number
  } | null
}

export interface SettlementFact extends At {
  readonly wallet: string
  readonly workerId: number
  /** Of the worker id; null where nobody was ever registered under it. */
  readonly registeredSigner: string | null
  /** `sha256:<hex>` */
  readonly outputHash: string
  readonly outputTokens: number
  readonly charged: bigint
  readonly returned: bigint
  readonly workerUnits: bigint
  readonly treasuryUnits: bigint
  /** The contract's own price of that many tokens in the tier of the lock. */
  readonly price: bigint
  /** From the transaction's calldata; null where that is not a plain batch. */
  readonly proof: ProofFact | null
}

export interface ProofFact {
  readonly workerId: number
  readonly outputHash: string
  readonly outputTokens: number
  readonly completedAt: number
  /** Whose signature it is; null where it is nobody's. */
  readonly signer: string | null
}

export interface RefundFact extends At {
  readonly wallet: string
  readonly credits: bigint
}

export interface DisputeFact extends At {
  readonly wallet: string
  readonly workerId: number
  readonly claimedHash: string
}

export interface VerdictFact extends At {
  readonly wallet: string
  readonly upheld: boolean
  readonly returned: bigint
}

export interface JobRecord {
  readonly status: RecordStatus
  readonly wallet: string
  readonly credits: bigint
  readonly tier: number
  readonly workerId: number
  readonly staked: boolean
}

/** Constants of the contract. */
export interface Rules {
  readonly unitsPerCredit: bigint
  readonly defaultShareBps: bigint
  readonly stakedShareBps: bigint
  readonly expirySeconds: number
  readonly disputeSeconds: number
  readonly arbitrationSeconds: number
}

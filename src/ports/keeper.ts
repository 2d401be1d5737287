import type { Credits, TokenUnits } from '../domain/credits.ts'
import type { Address, Hex32, JobId, TxHash } from '../domain/ids.ts'
import type { EquivocationRecord } from '../messages/strikes.ts'

/**
 * What the keeper reads. Every time here is in Unix seconds by the chain's own clock. All of it may be
 * called again; all of it throws ChainUnavailable where the node does not answer.
 */
export interface KeeperReader {
  terms(): Promise<KeeperTerms>
  head(): Promise<KeeperBlock>
  block(number: number): Promise<KeeperBlock | undefined>
  /**
   * What happened to jobs in blocks `from` to `to`, in the chain's order.
   * @param after the hash of the block before `from`, where it is known
   */
  events(from: number, to: KeeperBlock, after?: Hex32): Promise<readonly KeeperEvent[]>
  /** What locked the job in this block; undefined where that block is no more. */
  lockedBy(jobId: JobId, block: number): Promise<TxHash | undefined>
  /** Which of `addresses` received payment tokens in blocks `from` to `to`. */
  arrivals(from: number, to: number, addresses: ReadonlySet<Address>): Promise<readonly Address[]>
  /** @throws where the escrow makes other deposit addresses than this version of the service */
  checkDepositAddresses(): Promise<void>
  /** Where plain transfers for this wallet go. Known without asking. */
  depositAddress(wallet: Address): Address
  tokensOf(address: Address): Promise<TokenUnits>
  earningsOf(earner: Earner): Promise<Earnings>
  /**
   * Active and unbonding together, in units of RCompute: what a slash takes its part of.
   * @param block by the end of which; left out: now
   */
  stakeOf(workerId: number, block?: number): Promise<bigint>
  /** Whether the worker was slashed for this job by the end of that block. */
  isPunished(workerId: number, jobId: JobId, block: number): Promise<boolean>
}

/** What the escrow was made with. */
export interface KeeperTerms {
  /** From a lock until anyone may take it back. */
  readonly expirySeconds: number
  /** From a settlement until it can not be contested; earnings are held for one to two of these. */
  readonly disputeSeconds: number
  /** From a dispute until anyone may end it. */
  readonly arbitrationSeconds: number
  /** The least that a sweep takes. */
  readonly minimumCredits: Credits
}

export interface KeeperBlock {
  readonly number: number
  readonly hash: Hex32
  readonly parentHash: Hex32
  readonly at: number
}

/** A worker by its number, or the treasury. */
export type Earner = number | 'treasury'

export interface Earnings {
  /** Held and due together. */
  readonly total: TokenUnits
  /** What a claim would pay now. */
  readonly claimable: TokenUnits
}

/**
 * `at` is the time of the block, or a later one where the node's logs do not tell it: what counts
 * from it comes late then, and never early.
 */
export type KeeperEvent = {
  readonly jobId: JobId
  readonly block: number
  readonly at: number
} & (
  | { readonly type: 'locked' | 'refunded' | 'disputed' }
  | { readonly type: 'settled' | 'dispute_resolved'; readonly workerId: number }
)

/** A call that is open to anyone. Repeated, or after somebody else's, it does nothing. */
export type KeeperCall =
  | { readonly type: 'refund'; readonly jobId: JobId }
  | { readonly type: 'end_dispute'; readonly jobId: JobId }
  | { readonly type: 'sweep'; readonly wallet: Address }
  | { readonly type: 'claim'; readonly earner: Earner }
  | ({ readonly type: 'prove_equivocation' } & Equivocation)

export type Equivocation = Pick<EquivocationRecord, 'workerId' | 'jobId' | 'completions'>

export interface KeeperWriter {
  /** Pays for the gas. */
  readonly address: Address
  /**
   * One call in one transaction, from simulation to inclusion; one at a time.
   * @param feeCeilingWei most wei a unit of gas
   * @throws {ChainUnavailable} the node does not answer, or does not include it
   */
  perform(call: KeeperCall, feeCeilingWei: bigint): Promise<KeeperOutcome>
}

export type KeeperOutcome =
  | { readonly type: 'done'; readonly tx: TxHash }
  /** There is nothing left to do: somebody was first, perhaps. */
  | { readonly type: 'needless'; readonly reason: string }
  /** The contract would revert; nothing was sent. */
  | { readonly type: 'refused'; readonly reason: string }
  /** The contract would revert now and for ever; nothing was sent. */
  | { readonly type: 'hopeless'; readonly reason: string }
  /** Gas costs more than `feeCeilingWei` now. */
  | { readonly type: 'too_dear'; readonly feeWei: bigint }
  /** The keeper's address cannot pay for gas. */
  | { readonly type: 'unfunded'; readonly balanceWei: bigint; readonly neededWei: bigint }

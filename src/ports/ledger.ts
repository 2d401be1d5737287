import type { Credits } from '../domain/credits.ts'
import type { Address, Hex32, JobId } from '../domain/ids.ts'
import type { DurationMs, UnixMs } from '../domain/time.ts'
import type { JoinHolder } from '../messages/job-reply.ts'

/**
 * What each wallet can spend now: the chain's balance, less what is reserved for jobs whose lock
 * is not on chain yet. The chain is the truth; a ledger that lost its memory is read from it anew.
 */
export interface Ledger {
  /**
   * Sets credits aside, and writes down the job under its join key, in one step.
   * Repeated: the same answer.
   */
  reserve(reservation: Reservation): Promise<ReserveReply>
  /**
   * Gives a reservation back, and the join key with it where it is still this job's. Repeated, or
   * after the lock: nothing.
   */
  release(wallet: Address, jobId: JobId, joinKey?: string): Promise<void>
  /** The job that a request with this key joins; undefined: none, or its time is up. */
  joinable(wallet: Address, joinKey: string): Promise<JoinHolder | undefined>
  balance(wallet: Address): Promise<Balance | 'unknown_wallet'>
  /** Those of the jobs whose credits are not in the balance: reserved, or locked on chain. */
  held(wallet: Address, jobs: readonly JobId[]): Promise<readonly JobId[]>
  /**
   * Notes that job `jobId` has ended, or is about to, so that what its lock leaves is on its way back; until
   * the chain tells of it. Repeated: the latest counts.
   * @param charged of its lock, at the least
   * @returns what the wallet could spend once that is back
   */
  accountFor(wallet: Address, jobId: JobId, charged: Credits): Promise<Credits | 'unknown_wallet'>
  /** Takes a wallet as the chain has it after block `block`. Loses to a newer `apply`. */
  load(wallet: Address, account: ChainAccount): Promise<'loaded' | 'stale'>
  /**
   * Notes that wallets are as of a block: before such a `load` or `apply`, and again after it, so that
   * no one who looks in between misses it. Any block may turn out not to be on the chain that counts.
   */
  noteRead(block: BlockId): Promise<void>
  /** The noted blocks up to block `upTo`. */
  reads(upTo: number): Promise<readonly BlockId[]>
  /** These are on the chain that counts: they are noted no longer. */
  proven(reads: readonly BlockId[]): Promise<void>
  /**
   * Applies logs of the chain, each exactly once.
   * @param entries of one wallet, at least one, in the chain's order
   * @returns how the wallet stood after each
   */
  apply(entries: readonly LedgerEntry[]): Promise<readonly Standing[] | 'unknown_wallet'>
  /**
   * Reservations made before `before` and still open, perhaps of an edge that died: `limit` of them, after
   * the `skip` oldest.
   */
  openReservations(
    before: UnixMs,
    limit: number,
    skip?: number,
  ): Promise<readonly OpenReservation[]>
  /** Forgets every wallet and read, after a reorg: each is read from the chain at its next use. */
  forget(): Promise<void>
}

export interface Reservation {
  readonly wallet: Address
  readonly jobId: JobId
  readonly credits: Credits
  readonly at: UnixMs
  /** Undefined: a request that can not be told from another one like it. */
  readonly join?: JoinEntry
}

/** How retried requests of one wallet find their job. */
export interface JoinEntry {
  readonly key: string
  /** Of the request's body: the same key with another body is another request. */
  readonly bodyDigest: string
  /** Which job of this key may be replaced: any, this one because it failed, or none. */
  readonly replaces: 'any' | JobId | undefined
  /** How long the key is kept. */
  readonly ttlMs: DurationMs
}

export type ReserveReply =
  /** The key is another job's: nothing was set aside. */
  | ({ readonly type: 'taken' } & JoinHolder)
  | { readonly type: 'reserved'; readonly remaining: Credits }
  | ({ readonly type: 'insufficient' } & Pick<Balance, 'remaining' | 'returning'>)
  | { readonly type: 'unknown_wallet' }

export interface Balance {
  /** What the wallet could spend now. */
  readonly remaining: Credits
  /** On its way back, of jobs that have ended: of some not all, where they are charged for something yet. */
  readonly returning: Credits
  readonly lastTopupAt: UnixMs | null
}

/** How a wallet stands after a log. */
export interface Standing {
  /** False: the log was applied before, and later ones perhaps too. */
  readonly isNew: boolean
  /** What the wallet could spend now. */
  readonly remaining: Credits
  /** On chain: available, and locked for jobs that are not paid yet. */
  readonly owned: Credits
}

export interface ChainAccount {
  readonly available: Credits
  readonly locked: Credits
  readonly lastTopupAt: UnixMs | null
  readonly block: number
}

export interface BlockId {
  readonly block: number
  readonly blockHash: Hex32
}

export interface LedgerEntry {
  readonly wallet: Address
  readonly block: number
  readonly logIndex: number
  readonly kind:
    | 'deposited'
    | 'withdrawn'
    | 'thawing_started'
    | 'thawing_cancelled'
    | 'locked'
    | 'settled'
    | 'refunded'
    | 'dispute_resolved'
  /** That came, went, or were locked or returned. */
  readonly credits: Credits
  readonly jobId?: JobId
  /** Of the block; for deposits. */
  readonly at?: UnixMs
  /** What the job cost; for settlements. */
  readonly charged?: Credits
}

export interface OpenReservation {
  readonly wallet: Address
  readonly jobId: JobId
}

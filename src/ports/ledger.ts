import type { ChatRequest } from '../domain/chat.ts'
import type { Credits } from '../domain/credits.ts'
import type { Address, JobId } from '../domain/ids.ts'
import type { DurationMs, UnixMs } from '../domain/time.ts'

/**
 * What each wallet can spend now: the chain's balance, less what is reserved for jobs whose lock
 * is not on chain yet. The chain is the truth; a ledger that lost its memory is read from it anew.
 */
export interface Ledger {
  /** Sets credits aside and keeps the prompt, in one step. Repeated: the same answer. */
  reserve(reservation: Reservation): Promise<ReserveReply>
  /** Gives a reservation back. Repeated, or after the lock: nothing. */
  release(wallet: Address, jobId: JobId): Promise<void>
  balance(wallet: Address): Promise<Balance | 'unknown_wallet'>
  /**
   * The balance once job `jobId` is paid: what the wallet could spend now, plus what the job's
   * lock will return.
   */
  remainingAfter(
    wallet: Address,
    jobId: JobId,
    charged: Credits,
  ): Promise<Credits | 'unknown_wallet'>
  /** Takes a wallet as the chain has it after block `block`. Loses to a newer `apply`. */
  load(wallet: Address, account: ChainAccount): Promise<'loaded' | 'stale'>
  /** Applies one log of the chain, each exactly once, in the chain's order. */
  apply(entry: LedgerEntry): Promise<void>
  /** Reservations made before `before` and still open: perhaps of an edge that died. */
  openReservations(before: UnixMs, limit: number): Promise<readonly OpenReservation[]>
  /** Forgets every wallet, after a reorg: each is read from the chain at its next use. */
  forget(): Promise<void>
}

export interface Reservation {
  readonly wallet: Address
  readonly jobId: JobId
  readonly credits: Credits
  readonly at: UnixMs
  readonly prompt: ChatRequest
  /** How long the prompt is kept. */
  readonly promptTtlMs: DurationMs
}

export type ReserveReply =
  | { readonly type: 'reserved'; readonly remaining: Credits }
  | { readonly type: 'insufficient'; readonly remaining: Credits }
  | { readonly type: 'unknown_wallet' }

export interface Balance {
  /** What the wallet could spend now. */
  readonly remaining: Credits
  readonly lastTopupAt: UnixMs | null
}

export interface ChainAccount {
  readonly available: Credits
  readonly lastTopupAt: UnixMs | null
  readonly block: number
}

export interface LedgerEntry {
  readonly wallet: Address
  readonly block: number
  readonly logIndex: number
  readonly kind: 'deposited' | 'locked' | 'settled' | 'refunded'
  /** Deposited, locked, or returned. */
  readonly credits: Credits
  readonly jobId?: JobId
  /** Of the block; for deposits. */
  readonly at?: UnixMs
}

export interface OpenReservation {
  readonly wallet: Address
  readonly jobId: JobId
}

/** The prompt and the answer while a job runs. Nothing here outlives the job's window by much. */
export interface Outputs {
  prompt(wallet: Address, jobId: JobId): Promise<ChatRequest | undefined>
  putPrompt(wallet: Address, jobId: JobId, prompt: ChatRequest, ttlMs: DurationMs): Promise<void>
  deletePrompt(wallet: Address, jobId: JobId): Promise<void>
  putAnswer(jobId: JobId, text: string, ttlMs: DurationMs): Promise<void>
  answer(jobId: JobId): Promise<string | undefined>
}

import { type Credits, toCredits } from '../../../src/domain/credits.ts'
import type { Address, JobId } from '../../../src/domain/ids.ts'
import type { UnixMs } from '../../../src/domain/time.ts'
import type {
  Balance,
  ChainAccount,
  Ledger,
  LedgerEntry,
  OpenReservation,
  Reservation,
  ReserveReply,
} from '../../../src/ports/ledger.ts'

/** A ledger within one process that keeps balances and reservations, without a chain behind it. */
export class WalletLedger implements Ledger {
  readonly reservations = new Map<JobId, Reservation>()
  readonly #wallets = new Map<Address, { available: bigint; lastTopupAt: UnixMs | null }>()

  async reserve(reservation: Reservation): Promise<ReserveReply> {
    const remaining = this.#remaining(reservation.wallet)
    if (remaining === undefined) return { type: 'unknown_wallet' }
    if (this.reservations.has(reservation.jobId)) return { type: 'reserved', remaining }
    if (remaining < reservation.credits) return { type: 'insufficient', remaining }
    this.reservations.set(reservation.jobId, reservation)
    return { type: 'reserved', remaining: toCredits(remaining - reservation.credits) }
  }

  async release(_wallet: Address, jobId: JobId): Promise<void> {
    this.reservations.delete(jobId)
  }

  async balance(wallet: Address): Promise<Balance | 'unknown_wallet'> {
    const remaining = this.#remaining(wallet)
    if (remaining === undefined) return 'unknown_wallet'
    return { remaining, lastTopupAt: this.#wallets.get(wallet)?.lastTopupAt ?? null }
  }

  async remainingAfter(
    wallet: Address,
    jobId: JobId,
    charged: Credits,
  ): Promise<Credits | 'unknown_wallet'> {
    const remaining = this.#remaining(wallet)
    if (remaining === undefined) return 'unknown_wallet'
    const lock = this.reservations.get(jobId)?.credits ?? 0n
    return toCredits(remaining + lock - charged)
  }

  async load(wallet: Address, account: ChainAccount): Promise<'loaded' | 'stale'> {
    this.#wallets.set(wallet, { available: account.available, lastTopupAt: account.lastTopupAt })
    return 'loaded'
  }

  async apply(entry: LedgerEntry): Promise<void> {
    const wallet = this.#wallets.get(entry.wallet)
    if (!wallet) return
    wallet.available += entry.kind === 'locked' ? -entry.credits : entry.credits
    if (entry.jobId && entry.kind === 'locked') this.reservations.delete(entry.jobId)
  }

  async openReservations(before: UnixMs, limit: number): Promise<readonly OpenReservation[]> {
    return [...this.reservations.values()].filter(({ at }) => at < before).slice(0, limit)
  }

  async forget(): Promise<void> {
    this.#wallets.clear()
  }

  #remaining(wallet: Address): Credits | undefined {
    const known = this.#wallets.get(wallet)
    if (!known) return undefined
    const reserved = [...this.reservations.values()]
      .filter((one) => one.wallet === wallet)
      .reduce((sum, { credits }) => sum + credits, 0n)
    return toCredits(known.available - reserved)
  }
}

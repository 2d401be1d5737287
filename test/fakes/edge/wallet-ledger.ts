import { type Credits, toCredits } from '../../../src/domain/credits.ts'
import type { Address, JobId } from '../../../src/domain/ids.ts'
import type { UnixMs } from '../../../src/domain/time.ts'
import type { JoinHolder } from '../../../src/messages/job-reply.ts'
import type {
  Balance,
  ChainAccount,
  Ledger,
  LedgerEntry,
  OpenReservation,
  Reservation,
  ReserveReply,
  Standing,
} from '../../../src/ports/ledger.ts'

/** What takes from what the wallet can spend. */
const TAKEN: ReadonlySet<LedgerEntry['kind']> = new Set(['locked', 'withdrawn', 'thawing_started'])

/** A ledger within one process that keeps balances and reservations, without a chain behind it. */
export class WalletLedger implements Ledger {
  readonly reservations = new Map<JobId, Reservation>()
  /** Of jobs that have ended. */
  readonly returning = new Map<JobId, Credits>()
  /** Jobs by wallet and join key. */
  readonly joinables = new Map<string, JoinHolder>()
  readonly #wallets = new Map<Address, { available: bigint; lastTopupAt: UnixMs | null }>()

  async reserve(reservation: Reservation): Promise<ReserveReply> {
    const remaining = this.#remaining(reservation.wallet)
    if (remaining === undefined) return { type: 'unknown_wallet' }
    const { jobId, join } = reservation
    const key = `${reservation.wallet} ${join?.key}`
    const found = join && join.replaces !== 'any' ? this.joinables.get(key) : undefined
    if (found && found.jobId !== jobId && found.jobId !== join?.replaces) {
      return { type: 'taken', ...found }
    }
    if (this.reservations.has(jobId)) return { type: 'reserved', remaining }
    if (remaining < reservation.credits) {
      return { type: 'insufficient', remaining, returning: this.#returning(reservation.wallet) }
    }
    this.reservations.set(jobId, reservation)
    if (join) this.joinables.set(key, { jobId, bodyDigest: join.bodyDigest })
    return { type: 'reserved', remaining: toCredits(remaining - reservation.credits) }
  }

  async release(wallet: Address, jobId: JobId, joinKey?: string): Promise<void> {
    this.reservations.delete(jobId)
    const key = `${wallet} ${joinKey}`
    if (this.joinables.get(key)?.jobId === jobId) this.joinables.delete(key)
  }

  async joinable(wallet: Address, joinKey: string): Promise<JoinHolder | undefined> {
    return this.joinables.get(`${wallet} ${joinKey}`)
  }

  async balance(wallet: Address): Promise<Balance | 'unknown_wallet'> {
    const remaining = this.#remaining(wallet)
    if (remaining === undefined) return 'unknown_wallet'
    const returning = this.#returning(wallet)
    return { remaining, returning, lastTopupAt: this.#wallets.get(wallet)?.lastTopupAt ?? null }
  }

  async accountFor(
    wallet: Address,
    jobId: JobId,
    charged: Credits,
  ): Promise<Credits | 'unknown_wallet'> {
    const remaining = this.#remaining(wallet)
    if (remaining === undefined) return 'unknown_wallet'
    const lock = this.reservations.get(jobId)?.credits
    if (lock === undefined) return remaining
    this.returning.set(jobId, toCredits(lock - charged))
    return toCredits(remaining + lock - charged)
  }

  async load(wallet: Address, account: ChainAccount): Promise<'loaded' | 'stale'> {
    this.#wallets.set(wallet, { available: account.available, lastTopupAt: account.lastTopupAt })
    return 'loaded'
  }

  async noteRead(): Promise<void> {}

  async reads() {
    return []
  }

  async proven(): Promise<void> {}

  async apply(entries: readonly LedgerEntry[]): Promise<readonly Standing[] | 'unknown_wallet'> {
    const standings = entries.map((entry) => this.#applyOne(entry))
    return standings.every((each) => each !== 'unknown_wallet') ? standings : 'unknown_wallet'
  }

  #applyOne(entry: LedgerEntry): Standing | 'unknown_wallet' {
    const wallet = this.#wallets.get(entry.wallet)
    if (!wallet) return 'unknown_wallet'
    wallet.available += TAKEN.has(entry.kind) ? -entry.credits : entry.credits
    if (entry.jobId && entry.kind === 'locked') this.reservations.delete(entry.jobId)
    const remaining = toCredits(this.#remaining(entry.wallet) ?? 0n)
    return { isNew: true, remaining, owned: toCredits(wallet.available) }
  }

  async held(wallet: Address, jobs: readonly JobId[]): Promise<readonly JobId[]> {
    return jobs.filter((id) => this.reservations.get(id)?.wallet === wallet)
  }

  async openReservations(
    before: UnixMs,
    limit: number,
    skip = 0,
  ): Promise<readonly OpenReservation[]> {
    const old = [...this.reservations.values()].filter(({ at }) => at < before)
    return old.slice(skip, skip + limit)
  }

  async forget(): Promise<void> {
    this.#wallets.clear()
  }

  #returning(wallet: Address): Credits {
    const ended = [...this.returning].filter(([id]) => this.reservations.get(id)?.wallet === wallet)
    return toCredits(ended.reduce((sum, [, credits]) => sum + credits, 0n))
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

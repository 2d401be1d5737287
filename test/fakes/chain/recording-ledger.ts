import { toCredits } from '../../../src/domain/credits.ts'
import type { Address, JobId } from '../../../src/domain/ids.ts'
import type { UnixMs } from '../../../src/domain/time.ts'
import type {
  BlockId,
  ChainAccount,
  Ledger,
  LedgerEntry,
  OpenReservation,
  Standing,
} from '../../../src/ports/ledger.ts'

/** Keeps what it is told, for tests to read. */
export class RecordingLedger implements Ledger {
  readonly applied: LedgerEntry[] = []
  readonly loads: [Address, ChainAccount][] = []
  readonly released: JobId[] = []
  open: (OpenReservation & { readonly at: UnixMs })[] = []
  forgotten = 0
  noted: readonly BlockId[] = []
  /** Answers to `load`, in turn; `loaded` when there are none left. */
  loadAnswers: ('loaded' | 'stale')[] = []
  failing = false

  /** How every wallet stands, as told after each log. */
  standing: Standing | 'unknown_wallet' = {
    isNew: true,
    remaining: toCredits(1_000),
    owned: toCredits(1_000),
  }

  async apply(entries: readonly LedgerEntry[]): Promise<readonly Standing[] | 'unknown_wallet'> {
    await undefined
    if (this.failing) throw new Error('the ledger is down')
    for (const entry of entries) {
      const twice = this.applied.some(
        ({ block, logIndex }) => block === entry.block && logIndex === entry.logIndex,
      )
      if (!twice) this.applied.push(entry)
    }
    const { standing } = this
    return standing === 'unknown_wallet' ? standing : entries.map(() => standing)
  }

  async load(wallet: Address, account: ChainAccount): Promise<'loaded' | 'stale'> {
    this.loads.push([wallet, account])
    return this.loadAnswers.shift() ?? 'loaded'
  }

  async noteRead({ block, blockHash }: BlockId): Promise<void> {
    this.noted = [
      ...this.noted.filter((each) => each.blockHash !== blockHash),
      { block, blockHash },
    ]
  }

  async reads(upTo: number): Promise<readonly BlockId[]> {
    return this.noted.filter(({ block }) => block <= upTo)
  }

  async proven(reads: readonly BlockId[]): Promise<void> {
    this.noted = this.noted.filter((each) => !reads.includes(each))
  }

  async held(): Promise<readonly JobId[]> {
    return []
  }

  async openReservations(
    before: UnixMs,
    limit: number,
    skip = 0,
  ): Promise<readonly OpenReservation[]> {
    return this.open.filter(({ at }) => at < before).slice(skip, skip + limit)
  }

  async release(_wallet: Address, jobId: JobId): Promise<void> {
    this.released.push(jobId)
    this.open = this.open.filter((each) => each.jobId !== jobId)
  }

  async forget(): Promise<void> {
    if (this.failing) throw new Error('the ledger is down')
    this.forgotten++
    this.applied.length = 0
    this.noted = []
  }

  async reserve() {
    return { type: 'unknown_wallet' } as const
  }

  async joinable() {
    return undefined
  }

  async balance() {
    return { remaining: toCredits(0), returning: toCredits(0), lastTopupAt: null }
  }

  async accountFor() {
    return toCredits(0)
  }
}

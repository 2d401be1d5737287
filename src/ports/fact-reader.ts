import type { Address } from '../domain/ids.ts'
import type { UnixMs } from '../domain/time.ts'
import type { Fact } from '../messages/fact.ts'

/** The facts that are kept (30 days), for who was not there when they were told. */
export interface FactReader {
  /** Where the newest fact is, of anybody; 0 before the first. */
  newest(): Promise<number>
  /** Where the first fact that was stored at `at` or later is, or will be. */
  since(at: UnixMs): Promise<number>
  /**
   * Reads the facts after this place that a wallet may see: its own, and those of workers.
   * @param after a place beyond the newest is that of another stream: nothing before now is read
   */
  open(wallet: Address, after: number): FactCursor
}

/** One reader, from the oldest fact to the newest. Holds two facts at most. */
export interface FactCursor {
  /** @returns undefined where there is none yet: ask again later */
  next(): Promise<StoredFact | undefined>
  /** All facts up to here have been read. */
  readonly position: number
}

export interface StoredFact {
  readonly sequence: number
  readonly storedAt: UnixMs
  readonly fact: Fact
}

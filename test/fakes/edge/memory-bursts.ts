import type { BurstBuckets, BurstTerms } from '../../../src/ports/burst-buckets.ts'
import type { Clock } from '../../../src/ports/clock.ts'

/** Shared token buckets within one process, which can be out of reach. */
export class MemoryBursts implements BurstBuckets {
  away = false
  /** How often edges have settled. */
  settlings = 0
  readonly #buckets = new Map<string, { tokens: number; at: number }>()

  constructor(readonly clock: Clock) {}

  async settle(
    consumed: ReadonlyMap<string, number>,
    { perSecond, burst }: BurstTerms,
  ): Promise<readonly number[]> {
    await undefined
    if (this.away) throw new Error('the shared buckets are away')
    this.settlings++
    const now = this.clock.monotonic()
    return Array.from(consumed, ([address, count]) => {
      const { tokens, at } = this.#buckets.get(address) ?? { tokens: burst, at: now }
      const left = Math.min(burst, tokens + ((now - at) / 1_000) * perSecond) - count
      this.#buckets.set(address, { tokens: left, at: now })
      return left
    })
  }
}

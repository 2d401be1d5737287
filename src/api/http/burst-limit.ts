import { LIMITS } from '../../domain/limits.ts'
import type { BurstBuckets, BurstTerms } from '../../ports/burst-buckets.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../telemetry/log.ts'

export interface BurstLimit {
  readonly terms: BurstTerms
  /** One more request of an address. @returns 0: it passes; else the whole seconds to wait */
  take(address: string): number
  stop(): void
}

interface Options {
  readonly buckets: BurstBuckets
  /** `burst` 0: no limit. */
  readonly terms: BurstTerms
  readonly clock: Clock
  readonly log: Log
}

interface Bucket {
  /** At `at`; below 0 where several edges gave more than there was. */
  tokens: number
  at: number
  /** Since the shared bucket was told. */
  consumed: number
}

/** How far edges may be apart: what an address sends within it may be too much, once an edge. */
const SETTLE_MS = 10
const SETTLE_MAX = 500
/** While the shared buckets cannot be reached, each edge decides alone. */
const ALONE_MS = 500
/** Somebody with very many addresses makes the oldest ones forgotten, not the map grow. */
const ADDRESSES_MAX = 50_000
const FORGET_MS = 5_000

/** @returns a limit that passes everything where the burst is 0 */
export function makeBurstLimit(options: Options): BurstLimit {
  if (options.terms.burst > 0) return new Bursts(options)
  return { terms: options.terms, take: () => 0, stop: () => {} }
}

/**
 * Token buckets by address. No request waits for another process: each edge decides from what it
 * knows, and settles with the shared buckets a hundred times a second, for addresses that are active.
 */
class Bursts implements BurstLimit {
  readonly #options: Options
  readonly #known = new Map<string, Bucket>()
  readonly #unsettled = new Map<string, Bucket>()
  readonly #cancelForgetting: () => void
  #cancelSettling: (() => void) | undefined
  #alone = false
  #stopped = false

  constructor(options: Options) {
    this.#options = options
    this.#cancelForgetting = options.clock.every(FORGET_MS, () => this.#forgetFull())
  }

  get terms(): BurstTerms {
    return this.#options.terms
  }

  take(address: string): number {
    const bucket = this.#bucketOf(address)
    // Refused ones too: what other edges gave meanwhile must be known when it passes again.
    if (this.#unsettled.size < ADDRESSES_MAX) this.#unsettled.set(address, bucket)
    this.#settleSoon()
    if (bucket.tokens < 1) {
      const seconds = Math.ceil((1 - bucket.tokens) / this.terms.perSecond)
      return Math.min(LIMITS.retryAfterSecondsMax, Math.max(1, seconds))
    }
    bucket.tokens--
    bucket.consumed++
    return 0
  }

  stop(): void {
    this.#stopped = true
    this.#cancelForgetting()
    this.#cancelSettling?.()
  }

  #bucketOf(address: string): Bucket {
    const now = this.#options.clock.monotonic()
    const found = this.#known.get(address)
    if (found) {
      this.#refill(found, now)
      return found
    }
    const [oldest] = this.#known.size < ADDRESSES_MAX ? [] : this.#known.keys()
    if (oldest !== undefined) this.#known.delete(oldest)
    const made = { tokens: this.terms.burst, at: now, consumed: 0 }
    this.#known.set(address, made)
    return made
  }

  #refill(bucket: Bucket, now: number): void {
    const { perSecond, burst } = this.terms
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * perSecond) / 1_000)
    bucket.at = now
  }

  /** A full bucket says nothing that a new one would not say. */
  #forgetFull(): void {
    const now = this.#options.clock.monotonic()
    for (const [address, bucket] of this.#known) {
      this.#refill(bucket, now)
      const full = bucket.tokens === this.terms.burst && bucket.consumed === 0
      if (full) this.#known.delete(address)
    }
  }

  #settleSoon(): void {
    if (this.#stopped) return
    const span = this.#alone ? ALONE_MS : SETTLE_MS
    this.#cancelSettling ??= this.#options.clock.after(span, () => void this.#settle())
  }

  /** One at a time, so that a slow store is not asked more than it answers. */
  async #settle(): Promise<void> {
    const { buckets, clock, log } = this.#options
    const batch = this.#nextBatch()
    const consumed = new Map(batch.map(([address, bucket]) => [address, bucket.consumed]))
    for (const [, bucket] of batch) bucket.consumed = 0
    try {
      const left = await buckets.settle(consumed, this.terms)
      const now = clock.monotonic()
      batch.forEach(([, bucket], i) => {
        bucket.tokens = (left[i] ?? bucket.tokens) - bucket.consumed
        bucket.at = now
      })
      if (this.#alone) log.info('burst limit: shared by all edges again')
      this.#alone = false
    } catch (error) {
      if (!this.#alone) log.warn({ err: error }, 'burst limit: this edge counts alone for now')
      this.#alone = true
      for (const bucket of this.#unsettled.values()) bucket.consumed = 0
      this.#unsettled.clear()
    }
    this.#cancelSettling = undefined
    if (this.#unsettled.size > 0) this.#settleSoon()
  }

  #nextBatch(): readonly [string, Bucket][] {
    const batch: [string, Bucket][] = []
    for (const entry of this.#unsettled) {
      batch.push(entry)
      this.#unsettled.delete(entry[0])
      if (batch.length === SETTLE_MAX) break
    }
    return batch
  }
}

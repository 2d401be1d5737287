import { type KeyRecord, parseKeyRecord } from '../../messages/key-record.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Registry } from '../../ports/registry.ts'
import type { Log } from '../../telemetry/log.ts'

const ENTRIES_MAX = 10_000
/** A watch that fails in a way nobody notices must not keep a revoked key alive for long. */
const ENTRY_AGE_MS = 30_000
const REWATCH_MS = 500

interface Options {
  readonly keys: Registry
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}

interface Cached {
  readonly key: KeyRecord
  readonly readAt: number
}

/**
 * Keys that were read lately. A revocation takes effect at once, so an entry is believed only
 * while a watch stands that would have told of its change; without one every key is read anew.
 * Unknown keys are not kept: a new key works at once, and guesses cannot push out real ones.
 */
export class KeyCache {
  readonly #options: Options
  readonly #entries = new Map<string, Cached>()
  /** Grows at every change, and when a watch stands, so that a read that began before it is not kept. */
  #changes = 0
  /** Grows when a connection comes or goes: what an older one began is void. */
  #epoch = 0
  #watching = false
  #stopped = false
  #unwatch: (() => void) | undefined
  #cancelRetry: (() => void) | undefined

  constructor(options: Options) {
    this.#options = options
    options.bus.onConnection((connected) => {
      if (connected) this.#watchAnew()
      else this.#forget()
    })
    void this.#watch()
  }

  /** @throws where the keys cannot be read, or this one is none */
  async read(hash: string): Promise<KeyRecord | undefined> {
    const now = this.#options.clock.monotonic()
    const cached = this.#watching ? this.#entries.get(hash) : undefined
    if (cached && now - cached.readAt < ENTRY_AGE_MS) return this.#touch(hash, cached)
    const changes = this.#changes
    const entry = await this.#options.keys.get(hash)
    if (entry === undefined) return undefined
    const key = parseKeyRecord(entry.value)
    if (this.#watching && changes === this.#changes) this.#touch(hash, { key, readAt: now })
    return key
  }

  stop(): void {
    this.#stopped = true
    this.#cancelRetry?.()
    this.#unwatch?.()
  }

  /** Moves the entry to the young end of the map; the oldest one goes when it is full. */
  #touch(hash: string, cached: Cached): KeyRecord {
    this.#entries.delete(hash)
    this.#entries.set(hash, cached)
    if (this.#entries.size > ENTRIES_MAX) {
      const oldest = this.#entries.keys().next().value
      if (oldest !== undefined) this.#entries.delete(oldest)
    }
    return cached.key
  }

  #forget(): void {
    this.#changes++
    this.#epoch++
    this.#watching = false
    this.#entries.clear()
  }

  #watchAnew(): void {
    this.#forget()
    void this.#watch()
  }

  async #watch(): Promise<void> {
    this.#cancelRetry?.()
    this.#unwatch?.()
    this.#unwatch = undefined
    const epoch = this.#epoch
    try {
      const unwatch = await this.#options.keys.watch('>', (hash) => this.#drop(hash), {
        updatesOnly: true,
        broken: () => {
          if (epoch === this.#epoch) this.#watchAnew()
        },
      })
      if (this.#stopped || epoch !== this.#epoch) return unwatch()
      this.#unwatch = unwatch
      this.#watching = true
      this.#changes++
    } catch (error) {
      this.#options.log.warn({ err: error }, 'keys: cannot be watched, trying again')
      if (this.#stopped || epoch !== this.#epoch) return
      this.#cancelRetry = this.#options.clock.after(REWATCH_MS, () => void this.#watch())
    }
  }

  #drop(hash: string): void {
    this.#changes++
    this.#entries.delete(hash)
  }
}

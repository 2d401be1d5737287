import { type DurationMs, toUnixMs, type UnixMs } from '../../../src/domain/time.ts'
import type { Clock } from '../../../src/ports/clock.ts'

/** Time moves only by `advance`. */
export class ManualClock implements Clock {
  #now = 1_800_000_000_000
  #wrongMs = 0
  #count = 0
  readonly #timers = new Set<{ at: number; every?: DurationMs; call: () => void }>()

  now(): UnixMs {
    return toUnixMs(this.#now + this.#wrongMs)
  }

  monotonic(): number {
    return this.#now
  }

  after(span: DurationMs, call: () => void): () => void {
    return this.#add({ at: this.#now + span, call })
  }

  every(span: DurationMs, call: () => void): () => void {
    return this.#add({ at: this.#now + span, every: span, call })
  }

  randomBytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#count++ & 0xff)
  }

  /** Somebody sets the clock, ahead or back: nothing else has moved. */
  jump(byMs: DurationMs): void {
    this.#wrongMs += byMs
  }

  /** As if the process had been stopped: what was due meanwhile is late. */
  standStill(span: DurationMs): void {
    this.#now += span
  }

  /** Fires what is due, in order, and lets what it set off come to rest in between. */
  async advance(span: DurationMs): Promise<void> {
    const until = this.#now + span
    await rest()
    for (;;) {
      const [next] = [...this.#timers].sort((a, b) => a.at - b.at)
      if (!next || next.at > until) break
      this.#now = Math.max(this.#now, next.at)
      // As Node's: what was missed is not made up for.
      if (next.every) next.at = this.#now + next.every
      else this.#timers.delete(next)
      next.call()
      await rest()
    }
    this.#now = until
  }

  #add(timer: { at: number; every?: DurationMs; call: () => void }): () => void {
    this.#timers.add(timer)
    return () => {
      this.#timers.delete(timer)
    }
  }
}

/** Until everything that needs no time has happened. */
export async function rest(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve))
}

import type { DurationMs } from '../../domain/time.ts'

/** Looks come twice a second: of a longer time between two of them this process slept most. */
const LOOK_MAX_MS: DurationMs = 1_000

/**
 * How long somebody else is waited for, of which only the time counts that this process was awake. One that was
 * stopped or frozen would else give up before it has read what came meanwhile, or has asked again.
 */
export class Patience {
  #leftMs: DurationMs
  #seenAt: number

  /** @param from by the clock that never jumps: before it nothing counts */
  constructor(from: number, spanMs: DurationMs) {
    this.#seenAt = from
    this.#leftMs = spanMs
  }

  /** To be asked at each tick. */
  isOverAt(now: number): boolean {
    if (now > this.#seenAt) {
      this.#leftMs -= Math.min(now - this.#seenAt, LOOK_MAX_MS)
      this.#seenAt = now
    }
    return this.#leftMs <= 0
  }
}

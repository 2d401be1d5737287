import type { DurationMs } from '../../src/domain/time.ts'
import type { Clock } from '../../src/ports/clock.ts'

const HOUR_MS = 3_600_000

/**
 * How many workers are registered at the network's expense. Anybody can make keys, as many as they like, and each
 * one that dials costs the settle lane gas and a transaction.
 */
export class RegistrationBudget {
  #left: number
  #at: number

  /** @param perHour at once, and in an hour after that; 0: any number */
  constructor(
    private readonly perHour: number,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {
    this.#left = perHour
    this.#at = clock.monotonic()
  }

  /** One more. @returns 0: it may be; else how long until one may */
  take(): DurationMs {
    const { perHour } = this
    if (perHour === 0) return 0
    const now = this.clock.monotonic()
    this.#left = Math.min(perHour, this.#left + ((now - this.#at) * perHour) / HOUR_MS)
    this.#at = now
    if (this.#left < 1) return Math.ceil(((1 - this.#left) * HOUR_MS) / perHour)
    this.#left--
    return 0
  }
}

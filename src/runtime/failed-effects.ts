import type { Clock } from '../ports/clock.ts'
import type { Log } from '../telemetry/log.ts'
import { Seldom } from '../telemetry/seldom.ts'
import type { DueEffect } from './kind.ts'

/**
 * Logs that effects of a host's actors fail, each kind seldom. While a server is away each actor that wants
 * something of it fails every two seconds, and there are more of them by the second.
 */
export class FailedEffects {
  readonly #clock: Clock
  readonly #seldom: Seldom

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#seldom = new Seldom(clock, log)
  }

  /** @param key behind a dot names which of several that one actor has */
  tell(key: DueEffect['key'], error: unknown): void {
    const kind = key.split('.', 1)[0]!
    const at = this.#clock.now()
    this.#seldom.warn({ err: error, effect: key, at }, 'effect failed, again', kind)
  }
}

import type { Clock } from '../ports/clock.ts'
import type { Log } from '../telemetry/log.ts'
import type { DueEffect } from './kind.ts'

const TELL_EVERY_MS = 10_000

/**
 * Logs that effects of a host's actors fail: at once, then every ten seconds with how many more did. While a
 * server is away each actor that wants something of it fails every two seconds, and there are more of them by the
 * second.
 */
export class FailedEffects {
  readonly #clock: Clock
  readonly #log: Log
  /** By what the effects have in common. */
  readonly #told = new Map<string, { readonly at: number; more: number }>()

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  /** @param key behind a dot names which of several that one actor has */
  tell(key: DueEffect['key'], error: unknown): void {
    const name = key.split('.', 1)[0]!
    const last = this.#told.get(name)
    const now = this.#clock.monotonic()
    if (last && now - last.at < TELL_EVERY_MS) {
      last.more++
      return
    }
    this.#told.set(name, { at: now, more: 0 })
    const more = last?.more ? { moreBefore: last.more } : {}
    this.#log.warn(
      { err: error, effect: key, at: this.#clock.now(), ...more },
      'effect failed, again',
    )
  }
}

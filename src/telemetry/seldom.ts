import type { DurationMs } from '../domain/time.ts'
import type { Log } from './log.ts'

const TELL_EVERY_MS: DurationMs = 10_000

/** What a clock of the service is asked for here. */
interface Monotonic {
  monotonic(): number
}

/**
 * Warns of what goes wrong for everybody at once: the first time, then every ten seconds with how many more did.
 * While a server is away each request or actor that wants something of it fails, and a stack for each of them
 * would bury what else is said, and fill a disk.
 */
export class Seldom {
  readonly #clock: Monotonic
  readonly #log: Log
  readonly #told = new Map<string, { readonly at: number; more: number }>()

  constructor(clock: Monotonic, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  /**
   * @param message the same words each time: what differs is in `fields`
   * @param kind what is counted together; one of few. By default whatever has this message
   */
  warn(fields: Readonly<Record<string, unknown>>, message: string, kind: string = message): void {
    this.#tell('warn', fields, message, kind)
  }

  /** The same, of what is no fault of ours: strangers may bring it about as often as they like. */
  info(fields: Readonly<Record<string, unknown>>, message: string, kind: string = message): void {
    this.#tell('info', fields, message, kind)
  }

  #tell(
    level: 'warn' | 'info',
    fields: Readonly<Record<string, unknown>>,
    message: string,
    kind: string,
  ): void {
    const last = this.#told.get(kind)
    const now = this.#clock.monotonic()
    if (last && now - last.at < TELL_EVERY_MS) {
      last.more++
      return
    }
    this.#told.set(kind, { at: now, more: 0 })
    const more = last?.more ? { moreBefore: last.more } : {}
    this.#log[level]({ ...fields, ...more }, message)
  }
}

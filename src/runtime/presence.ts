import type { DurationMs } from '../domain/time.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'

interface Options {
  readonly bus: Bus
  readonly clock: Clock
  /** Who was silent this long is gone. */
  readonly silenceMs: DurationMs
}

const TICK_MS = 500

/**
 * Who is there, judged by who was heard of. Gives no verdict while disconnected, nor before it has
 * listened for one whole span since: after a cut, after its start, and after a pause of this very
 * process, whose unread messages would make everyone look silent.
 */
export class Presence {
  readonly #options: Options
  readonly #heard = new Map<string, number>()
  #listeningSince: number
  #lastTick: number
  #stop: () => void = () => {}

  constructor(options: Options) {
    this.#options = options
    this.#listeningSince = options.clock.monotonic()
    this.#lastTick = this.#listeningSince
  }

  start(): void {
    const { bus, clock } = this.#options
    bus.onConnection(() => {
      this.#listeningSince = clock.monotonic()
    })
    this.#stop = clock.every(TICK_MS, () => this.#noticePause())
  }

  stop(): void {
    this.#stop()
  }

  heard(id: string): void {
    this.#heard.set(id, this.#options.clock.monotonic())
  }

  forget(id: string): void {
    this.#heard.delete(id)
  }

  has(id: string): boolean {
    return this.#heard.has(id)
  }

  isGone(id: string): boolean {
    const { bus, silenceMs } = this.#options
    const now = this.#noticePause()
    if (!bus.connected || now - this.#listeningSince < silenceMs) return false
    const at = this.#heard.get(id)
    return at === undefined || now - at > silenceMs
  }

  #noticePause(): number {
    const now = this.#options.clock.monotonic()
    if (now - this.#lastTick > TICK_MS * 3) this.#listeningSince = now
    this.#lastTick = now
    return now
  }
}

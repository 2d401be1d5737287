import type { Bus } from '../ports/bus.ts'

/** Keeps an array of the largest things that are said here well below the bus's 1 MiB. */
const MOST = 500

/**
 * Says what one turn of the event loop has for the same receiver as one message: an array, in the order in
 * which it was said. As `Bus.publish`: what is lost is repeated by who cares.
 */
export class TurnOutbox {
  readonly #bus: Pick<Bus, 'publish'>
  readonly #waiting = new Map<string, unknown[]>()
  #scheduled = false

  constructor(bus: Pick<Bus, 'publish'>) {
    this.#bus = bus
  }

  add(subject: string, message: unknown): void {
    const before = this.#waiting.get(subject)
    if (before) before.push(message)
    else this.#waiting.set(subject, [message])
    if (before && before.length >= MOST) this.#say(subject)
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    for (const subject of [...this.#waiting.keys()]) this.#say(subject)
  }

  #say(subject: string): void {
    const messages = this.#waiting.get(subject)
    this.#waiting.delete(subject)
    if (messages) this.#bus.publish(subject, messages)
  }
}

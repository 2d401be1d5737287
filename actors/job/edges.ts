import { SUBJECTS } from '../../src/messages/subjects.ts'
import type { Bus } from '../../src/ports/bus.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { Presence } from '../../src/runtime/presence.ts'

/** An edge is gone when nothing was heard of it for this long. */
const EDGE_SILENCE_MS = 3_000

/** Which edges live: a job whose edge has died has nobody left to answer. */
export class Edges {
  readonly #bus: Bus
  readonly #presence: Presence
  #stop: () => void = () => {}

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus
    this.#presence = new Presence({ bus, clock, silenceMs: EDGE_SILENCE_MS })
  }

  start(): void {
    this.#presence.start()
    const subscription = this.#bus.subscribe(SUBJECTS.edges, (inbox) => {
      this.#presence.heard(inbox as string)
    })
    this.#stop = () => {
      subscription.unsubscribe()
      this.#presence.stop()
    }
  }

  stop(): void {
    this.#stop()
  }

  /** @param inbox the job's `replyTo` */
  isGone(inbox: string): boolean {
    return this.#presence.isGone(inbox)
  }
}

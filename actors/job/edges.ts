import { SUBJECTS } from '../../src/messages/subjects.ts'
import type { Bus } from '../../src/ports/bus.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { Presence } from '../../src/runtime/presence.ts'

/**
 * An edge is gone when nothing was heard of it for this long. An answer that is cut short is paid for and
 * cannot be mended, so this is longer than an edge needs to leave a server that hangs (six seconds), and than
 * a caller who names an `Idempotency-Key` has to come back at another edge (ten).
 */
const EDGE_SILENCE_MS = 12_000

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

import { SUBJECTS } from '../messages/subjects.ts'
import { type Bus, NoResponders, type Subscription } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import { Presence } from './presence.ts'

const HEARTBEAT_MS = 500
/** A host that was silent this long counts as dead. */
export const SILENCE_MS = 3_000

interface Heartbeat {
  readonly hostId: string
  readonly kinds: readonly string[]
  readonly leaving: boolean
}

interface Options {
  readonly hostId: string
  readonly kinds: readonly string[]
  readonly bus: Bus
  readonly clock: Clock
  /** Called when the set of living hosts may have changed. */
  readonly changed: () => void
}

/** Which actor hosts live, judged by each observer for itself. */
export class Hosts {
  readonly #options: Options
  readonly #presence: Presence
  readonly #kinds = new Map<string, readonly string[]>()
  readonly #dead = new Set<string>()
  #leaving = false
  #stops: (() => void)[] = []

  constructor(options: Options) {
    this.#options = options
    this.#presence = new Presence({ ...options, silenceMs: SILENCE_MS })
  }

  start(): void {
    const { bus, clock, hostId } = this.#options
    this.#presence.start()
    const subscriptions: Subscription[] = [
      bus.subscribe(SUBJECTS.hosts, (message) => this.#hear(message as Heartbeat)),
      bus.subscribe(SUBJECTS.host(hostId), (_message, _subject, respond) => respond('alive')),
    ]
    this.#stops = [
      clock.every(HEARTBEAT_MS, () => this.#beat()),
      ...subscriptions.map((subscription) => () => subscription.unsubscribe()),
      () => this.#presence.stop(),
    ]
    this.#beat()
  }

  /** Says goodbye, so that others take over without waiting. */
  leave(): void {
    this.#leaving = true
    this.#beat()
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }

  /** Living hosts that run `kind`; me included unless I am leaving. */
  candidates(kind: string): readonly string[] {
    const { hostId, kinds } = this.#options
    const others = [...this.#kinds]
      .filter(([host, theirs]) => theirs.includes(kind) && !this.isDead(host))
      .map(([host]) => host)
    return this.#leaving || !kinds.includes(kind) ? others : [...others, hostId]
  }

  isDead(host: string): boolean {
    return this.#dead.has(host) || this.#presence.isGone(host)
  }

  /** Asks the host itself: a process that is gone has no listener, and that is known at once. */
  async probe(host: string): Promise<void> {
    if (host === '' || host === this.#options.hostId || this.#dead.has(host)) return
    try {
      await this.#options.bus.request(SUBJECTS.host(host), null, HEARTBEAT_MS)
    } catch (error) {
      // No answer in time proves nothing: the heartbeats will tell.
      if (!(error instanceof NoResponders)) return
      this.#dead.add(host)
      this.#options.changed()
    }
  }

  #hear({ hostId, kinds, leaving }: Heartbeat): void {
    if (hostId === this.#options.hostId) return
    const isNew = !this.#presence.has(hostId) || this.#dead.has(hostId)
    if (leaving) {
      this.#presence.forget(hostId)
      this.#kinds.delete(hostId)
    } else {
      this.#dead.delete(hostId)
      this.#presence.heard(hostId)
      this.#kinds.set(hostId, kinds)
    }
    if (isNew || leaving) this.#options.changed()
  }

  #beat(): void {
    const { bus, hostId, kinds } = this.#options
    const heartbeat: Heartbeat = { hostId, kinds, leaving: this.#leaving }
    bus.publish(SUBJECTS.hosts, heartbeat)
    this.#options.changed()
  }
}

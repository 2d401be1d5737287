import { SUBJECTS } from '../messages/subjects.ts'
import { type Bus, NoResponders, type Subscription } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'

export const HEARTBEAT_MS = 500
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

/**
 * Which actor hosts live. Judged by each observer on its own monotonic clock; never while it is
 * disconnected, and not before it has listened for one silence span since.
 */
export class Hosts {
  readonly #options: Options
  readonly #seen = new Map<string, { at: number; kinds: readonly string[] }>()
  readonly #dead = new Set<string>()
  #listeningSince: number
  #lastBeat: number
  #leaving = false
  #stops: (() => void)[] = []

  constructor(options: Options) {
    this.#options = options
    this.#listeningSince = options.clock.monotonic()
    this.#lastBeat = this.#listeningSince
  }

  start(): void {
    const { bus, clock, hostId } = this.#options
    const subscriptions: Subscription[] = [
      bus.subscribe(SUBJECTS.hosts, (message) => this.#hear(message as Heartbeat)),
      bus.subscribe(SUBJECTS.host(hostId), (_message, _subject, respond) => respond('alive')),
    ]
    bus.onConnection(() => {
      this.#listeningSince = clock.monotonic()
    })
    this.#stops = [
      clock.every(HEARTBEAT_MS, () => this.#beat()),
      ...subscriptions.map((subscription) => () => subscription.unsubscribe()),
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
    const others = [...this.#seen]
      .filter(([host, seen]) => seen.kinds.includes(kind) && !this.isDead(host))
      .map(([host]) => host)
    return this.#leaving || !kinds.includes(kind) ? others : [...others, hostId]
  }

  isDead(host: string): boolean {
    if (this.#dead.has(host)) return true
    const now = this.#options.clock.monotonic()
    if (now - this.#listeningSince < SILENCE_MS) return false
    const seen = this.#seen.get(host)
    return seen === undefined || now - seen.at > SILENCE_MS
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
    const isNew = !this.#seen.has(hostId) || this.#dead.has(hostId)
    if (leaving) {
      this.#seen.delete(hostId)
    } else {
      this.#dead.delete(hostId)
      this.#seen.set(hostId, { at: this.#options.clock.monotonic(), kinds })
    }
    if (isNew || leaving) this.#options.changed()
  }

  #beat(): void {
    const { bus, clock, hostId, kinds } = this.#options
    const now = clock.monotonic()
    // We were stopped ourselves: what the others said meanwhile has not been read yet.
    if (now - this.#lastBeat > HEARTBEAT_MS * 3) this.#listeningSince = now
    this.#lastBeat = now
    const heartbeat: Heartbeat = { hostId, kinds, leaving: this.#leaving }
    bus.publish(SUBJECTS.hosts, heartbeat)
    this.#options.changed()
  }
}

import { AckPolicy, type ConsumerConfig } from 'nats'
import type { World } from '../world.ts'
import type { SimStream, Stored } from './stream.ts'
import { matcherOf } from './subjects.ts'

/** What a client asked for: up to so many messages. */
export interface Pull {
  /** Most that are still wanted. */
  left: number
  readonly gone: () => boolean
  /** @param delivered how many the consumer has sent, with this one */
  each(message: Stored, handed: number, delivered: number): void
}

interface Pending {
  handed: number
  /** When it may be handed out again, ms since the begin of the life; infinite: is held now. */
  dueAt: number
  lostAt: number
}

/** A pull consumer on the server: what it has handed out, until it is acknowledged. */
export class SimConsumer {
  readonly #world: World
  readonly #stream: SimStream
  readonly #matches: (subject: string) => boolean
  readonly #acks: boolean
  readonly #ackWaitMs: number
  readonly #pending = new Map<number, Pending>()
  readonly #config: Partial<ConsumerConfig>
  #next: number
  #delivered = 0
  #pulls: Pull[] = []

  constructor(world: World, stream: SimStream, config: Partial<ConsumerConfig>) {
    this.#world = world
    this.#stream = stream
    this.#config = config
    this.#matches = config.filter_subject ? matcherOf(config.filter_subject) : () => true
    this.#acks = config.ack_policy === AckPolicy.Explicit
    this.#ackWaitMs = (config.ack_wait ?? 30e9) / 1e6
    this.#next = config.opt_start_seq ?? 1
    stream.onStored(() => this.#serve())
  }

  get info(): { config: Partial<ConsumerConfig>; delivered: { stream_seq: number } } {
    return { config: this.#config, delivered: { stream_seq: this.#next - 1 } }
  }

  pull(pull: Pull): void {
    this.#pulls.push(pull)
    this.#serve()
  }

  ack(sequence: number): void {
    if (!this.#pending.delete(sequence) && !this.#acks) return
    if (this.#stream.isWorkQueue) this.#stream.remove(sequence)
  }

  nak(sequence: number, delayMs: number): void {
    const pending = this.#pending.get(sequence)
    if (!pending) return
    pending.dueAt = this.#world.now() + delayMs
    this.#world.after(delayMs, () => this.#serve())
  }

  working(sequence: number): void {
    const pending = this.#pending.get(sequence)
    if (pending) pending.lostAt = this.#world.now() + this.#ackWaitMs
  }

  #serve(): void {
    this.#pulls = this.#pulls.filter((pull) => pull.left > 0 && !pull.gone())
    for (const pull of this.#pulls) {
      while (pull.left > 0) {
        const message = this.#take()
        if (!message) return
        pull.left--
        pull.each(message, this.#pending.get(message.sequence)?.handed ?? 1, ++this.#delivered)
      }
    }
  }

  /** What was given back goes before what is new. */
  #take(): Stored | undefined {
    const now = this.#world.now()
    for (const [sequence, pending] of this.#pending) {
      if (pending.dueAt > now) continue
      const message = this.#stream.messages.get(sequence)
      if (message) return this.#hand(message, pending.handed + 1)
      this.#pending.delete(sequence)
    }
    while (this.#next <= this.#stream.lastSequence) {
      const message = this.#stream.messages.get(this.#next++)
      if (message && this.#matches(message.subject)) return this.#hand(message, 1)
    }
    return undefined
  }

  #hand(message: Stored, handed: number): Stored {
    if (!this.#acks) return message
    const lostAt = this.#world.now() + this.#ackWaitMs
    const pending: Pending = { handed, dueAt: Number.POSITIVE_INFINITY, lostAt }
    this.#pending.set(message.sequence, pending)
    this.#watch(message.sequence, pending)
    return message
  }

  /** Its holder may have died. */
  #watch(sequence: number, pending: Pending): void {
    this.#world.after(pending.lostAt - this.#world.now(), () => {
      if (this.#pending.get(sequence) !== pending || pending.dueAt < Number.POSITIVE_INFINITY)
        return
      if (pending.lostAt > this.#world.now()) return this.#watch(sequence, pending)
      pending.dueAt = this.#world.now()
      this.#serve()
    })
  }
}

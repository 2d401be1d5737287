import { keepNewest } from '../domain/newest.ts'
import type { Subscription } from '../ports/bus.ts'
import type { Log } from '../telemetry/log.ts'
import { type Actor, type ActorRecord, Unanswered } from './actor.ts'
import type { DueEffect } from './kind.ts'

/** Resting actors that are kept for the questions that often follow an end. */
const RESTING_MAX = 4

type MakeActor<State, Command, Event, Effect extends DueEffect> = (
  id: string,
  tell: (command: Command) => void,
) => Actor<State, Command, Event, Effect>

/** The actors of one partition, as long as this host owns it. */
export class Partition<State, Command, Event, Effect extends DueEffect> {
  readonly #subscription: Subscription
  readonly #make: MakeActor<State, Command, Event, Effect>
  readonly #log: Log
  readonly #live = new Map<string, Actor<State, Command, Event, Effect>>()
  readonly #resting = new Map<string, Actor<State, Command, Event, Effect>>()

  constructor(
    subscription: Subscription,
    make: MakeActor<State, Command, Event, Effect>,
    log: Log,
  ) {
    this.#subscription = subscription
    this.#make = make
    this.#log = log
  }

  get size(): number {
    return this.#live.size
  }

  get oldestSequence(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const actor of this.#live.values()) oldest = Math.min(oldest, actor.oldestSequence)
    return oldest
  }

  /** No record that is being appended now is older than this sequence. */
  get oldestAppending(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const actor of this.#live.values()) {
      if (actor.busy) oldest = Math.min(oldest, actor.oldestSequence)
    }
    return oldest
  }

  async tell(id: string, command: Command): Promise<unknown> {
    const actor = this.#find(id)
    try {
      return await actor.tell(command)
    } finally {
      this.#shelve(actor)
    }
  }

  restore(id: string, record: ActorRecord<State, Event>, sequence: number): void {
    // A command was quicker: since the reading, the actor may have moved on, even to its end.
    const known = this.has(id)
    const actor = this.#find(id)
    if (known) actor.catchUp(record, sequence)
    else actor.restore(record, sequence)
    this.#shelve(actor)
  }

  has(id: string): boolean {
    return this.#live.has(id) || this.#resting.has(id)
  }

  async close(): Promise<void> {
    this.#subscription.unsubscribe()
    // One that rests may have an effect left that fails and is tried again.
    for (const actor of [...this.#live.values(), ...this.#resting.values()]) actor.giveUp()
    await Promise.all([...this.#live.values()].map((actor) => actor.settled()))
  }

  #find(id: string): Actor<State, Command, Event, Effect> {
    const resting = this.#resting.get(id)
    if (resting) this.#resting.delete(id)
    const actor = this.#live.get(id) ?? resting ?? this.#make(id, (c) => this.#tellSelf(id, c))
    this.#live.set(id, actor)
    return actor
  }

  #tellSelf(id: string, command: Command): void {
    this.tell(id, command).catch((error) => {
      if (!(error instanceof Unanswered)) this.#log.error({ err: error, id }, 'own command failed')
    })
  }

  #shelve(actor: Actor<State, Command, Event, Effect>): void {
    if (!actor.idle || this.#live.get(actor.id) !== actor) return
    this.#live.delete(actor.id)
    keepNewest(this.#resting, actor.id, actor, RESTING_MAX)
  }
}

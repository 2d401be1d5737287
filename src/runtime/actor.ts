import type { Journal, JournalRecord } from '../ports/journal.ts'
import { EffectSet } from './effects.ts'
import type { FailedEffects } from './failed-effects.ts'
import type { HostOptions } from './host-options.ts'
import type { ActorKind, Admission, Decision, DueEffect } from './kind.ts'

/** What the journal holds for an actor: the whole state after the events, so one read restores it. */
export interface ActorRecord<State, Event> {
  readonly state: State
  readonly events: readonly Event[]
}

/** What an actor is told by the host it lives in. */
export interface Surroundings<State, Command> {
  /** The newest sequence this host had seen when the actor was made. */
  readonly newest: number
  /** The journal holds this state of it from now on. */
  appended(sequence: number, state: State): void
  /** Where commands of its own effects go. */
  tell(command: Command): void
  readonly failed: FailedEffects
}

/**
 * One actor: a mailbox, its state, and its place in the journal. Commands are taken one at a time.
 * The journal's compare-and-set is the guard against a second owner: whoever loses forgets.
 */
export class Actor<State, Command, Event, Effect extends DueEffect> {
  readonly id: string
  readonly #kind: ActorKind<State, Command, Event, Effect>
  readonly #journal: Journal
  readonly #token: () => string
  readonly #effects: EffectSet<Command, Effect>
  readonly #appended: Surroundings<State, Command>['appended']
  readonly #bornAfter: number
  #state: State | undefined
  /** The state that is being written, for effects that do not wait for it. */
  #next: State | undefined
  /** The journal's last sequence of this actor; undefined: not read yet. */
  #sequence: number | undefined
  #tail: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #givenUp = false

  constructor(
    id: string,
    options: HostOptions<State, Command, Event, Effect>,
    surroundings: Surroundings<State, Command>,
  ) {
    this.id = id
    this.#appended = surroundings.appended
    this.#bornAfter = surroundings.newest
    this.#kind = options.kind
    this.#journal = options.journal
    this.#token = options.token
    this.#effects = new EffectSet({
      clock: options.clock,
      failed: surroundings.failed,
      run: async (effect, context) => {
        const state = this.#next ?? this.#state
        if (state !== undefined) await options.kind.run(effect, state, context)
      },
      tell: surroundings.tell,
    })
  }

  /** No record that matters for this actor is older than this sequence. */
  get oldestSequence(): number {
    return this.#sequence || this.#bornAfter + 1
  }

  /** Commands are being taken: an append may be on its way. */
  get busy(): boolean {
    return this.#waiting > 0
  }

  /** Nothing due and nothing waiting: may be forgotten. */
  get idle(): boolean {
    if (this.busy) return false
    return this.#state === undefined || this.#kind.rests(this.#state)
  }

  /** Starts where the journal's last record left off. */
  restore(record: ActorRecord<State, Event>, sequence: number): void {
    this.#state = record.state
    this.#sequence = sequence
    this.#startDue(record.state)
  }

  /**
   * Takes a record of the journal that this actor has not seen: another owner wrote it. What is
   * older than the actor's own state is passed over.
   */
  catchUp(record: ActorRecord<State, Event>, sequence: number): void {
    // One that has not read the journal yet will find the record there.
    if (this.#sequence === undefined || sequence <= this.#sequence) return
    this.restore(record, sequence)
  }

  /** Queues a command; resolves with its answer once what it decided is in the journal. */
  tell(command: Command): Promise<unknown> {
    this.#waiting++
    // Counted down before the answer is out: who hears it may ask at once whether this is idle.
    const answer = this.#tail
      .then(() => this.#take(command))
      .finally(() => {
        this.#waiting--
      })
    this.#tail = answer.catch(() => {
      // The one who told hears of it; the next command is not its concern.
    })
    return answer
  }

  /** Ends the effects; what is in the mailbox is answered by the next owner. */
  giveUp(): void {
    this.#givenUp = true
    this.#effects.cancelAll()
  }

  /** Resolves when the mailbox is empty. */
  settled(): Promise<unknown> {
    return this.#tail
  }

  async #take(command: Command): Promise<unknown> {
    let mayBeBehind = true
    for (;;) {
      if (this.#givenUp) throw new GivenUp(this.id)
      if (this.#sequence === undefined) mayBeBehind = !(await this.#load(command))
      const admission = this.#state === undefined ? await this.#admits(command) : true
      if (admission !== true) {
        // Said again, of an actor that another owner has begun, it is answered as such.
        await this.#reload()
        if (this.#state === undefined) return this.#kind.reply(undefined, admission, command)
      }
      const decision = this.#kind.decide(this.#state, command)
      if (decision.type === 'behind' && mayBeBehind) {
        await this.#reload()
        mayBeBehind = false
        continue
      }
      if (decision.type === 'behind' && decision.unanswered) throw new Unanswered(this.id)
      if (decision.type !== 'accept') {
        const told = (decision.type === 'behind' && decision.otherwise) || decision
        return this.#kind.reply(this.#state, told, command)
      }
      const isFirst = this.#state === undefined
      if (await this.#append(decision)) {
        if (isFirst) this.#kind.begun?.(command)
        return this.#kind.reply(this.#state, decision, command)
      }
      // Somebody else wrote first; what they wrote is read by now. Decide again.
    }
  }

  #admits(command: Command): Admission | Promise<Admission> {
    if (!this.#kind.admits || !this.#kind.creates(command)) return true
    return this.#kind.admits(command)
  }

  /** @returns whether the journal was asked: a command that begins the actor is taken without */
  async #load(command: Command): Promise<boolean> {
    if (this.#kind.creates(command) && this.#state === undefined) {
      this.#sequence = 0
      return false
    }
    await this.#reload()
    return true
  }

  async #reload(): Promise<void> {
    const stored = await this.#journal.last(this.#kind.subject(this.id))
    if (stored) {
      this.restore(stored.body as ActorRecord<State, Event>, stored.sequence)
    } else {
      this.#state = undefined
      this.#sequence = 0
      // Of what the journal has lost nothing is due, and nobody would end its timers.
      this.#effects.cancelAll()
    }
  }

  /** @returns false when another owner wrote first */
  async #append(decision: Extract<Decision<Event>, { type: 'accept' }>): Promise<boolean> {
    let next = this.#state
    for (const event of decision.events) next = this.#kind.evolve(next, event)
    if (next === undefined) throw new Error(`actor ${this.id}: accepted a command with no event`)
    const body: ActorRecord<State, Event> = { state: next, events: decision.events }
    const record: JournalRecord = { token: this.#token(), body }
    const appended = await this.#write(record, next)
    if (appended === 'conflict') {
      await this.#reload()
      return false
    }
    this.#state = next
    this.#sequence = appended
    this.#appended(appended, next)
    this.#startDue(next)
    return true
  }

  /** Effects that need not wait start meanwhile; where it is not written, what is due without it counts again. */
  async #write(record: JournalRecord, next: State): Promise<number | 'conflict'> {
    const before = this.#state
    const ahead = before === undefined ? [] : (this.#kind.dueAhead?.(before, next) ?? [])
    if (ahead.length > 0 && !this.#givenUp) {
      this.#next = next
      this.#effects.add(ahead)
    }
    let appended: number | 'conflict' = 'conflict'
    try {
      const subject = this.#kind.subject(this.id)
      appended = await this.#journal.append(subject, this.#sequence ?? 0, record)
      return appended
    } finally {
      this.#next = undefined
      if (appended === 'conflict' && before !== undefined) this.#startDue(before)
    }
  }

  /** A command that is under way may come to know of a state when this is given up: nobody would end its effects. */
  #startDue(state: State): void {
    if (!this.#givenUp) this.#effects.update(this.#kind.due(state))
  }
}

/** A command that gets no answer, and is no fault: its sender tries again. */
export class Unanswered extends Error {
  constructor(id: string, why = 'has not come so far') {
    super(`${id} ${why}`)
  }
}

/** The actor's partition went to another host while the command waited. */
export class GivenUp extends Unanswered {
  constructor(id: string) {
    super(id, 'is not run here any more')
  }
}

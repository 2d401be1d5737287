import { Actor, type ActorRecord, Unanswered } from './actor.ts'
import { FailedEffects } from './failed-effects.ts'
import type { HostOptions } from './host-options.ts'
import type { DueEffect } from './kind.ts'
import { Partition } from './partition.ts'

interface Reading {
  readonly wanted: Set<number>
  from: number
  done: Promise<void>
}

/** Runs the actors of one kind that live in the partitions this host owns. */
export class ActorHost<State, Command, Event, Effect extends DueEffect> {
  readonly #options: HostOptions<State, Command, Event, Effect>
  readonly #partitions = new Map<number, Partition<State, Command, Event, Effect>>()
  readonly #failed: FailedEffects
  readonly #holds = new Set<{ readonly partitions: ReadonlySet<number>; readonly from: number }>()

  #reading: Promise<void> = Promise.resolve()
  #nextReading: Reading | undefined

  /** The newest sequence that an append or a read of this host has shown. */
  #newest = 0
  /**
   * What has come to rest here while the journal is read, by the sequence of its last record. Found in an
   * earlier one it would be taken for what lives, and run once more.
   */
  #rested: Map<string, number> | undefined

  constructor(options: HostOptions<State, Command, Event, Effect>) {
    this.#options = options
    this.#failed = new FailedEffects(options.clock, options.log)
  }

  /** Takes partitions over: answers commands from now on. What lives in them is for `rehydrate`. */
  async acquire(partitions: readonly number[]): Promise<void> {
    const { bus, commandSubject, journal, kind } = this.#options
    this.#see(await journal.lastSequence())
    for (const number of partitions) {
      if (this.#partitions.has(number)) continue
      const subscription = bus.subscribe(
        commandSubject(number),
        (said, subject, respond, trace) => {
          const command = said as Command
          const traced = trace && kind.traced ? kind.traced(command, trace) : command
          this.#receive(number, traced, subject, respond)
        },
        { own: true },
      )
      const make = (id: string, tell: (command: Command) => void) =>
        new Actor(id, this.#options, {
          ...{ newest: this.#newest, tell, failed: this.#failed },
          appended: (sequence, state) => this.#appended(id, sequence, state),
        })
      this.#partitions.set(number, new Partition(subscription, make, this.#options.log))
    }
  }

  /**
   * Reads the journal from `from` and runs what is live in `partitions` and not running yet. What
   * runs already is brought up to what another owner wrote meanwhile. Who asks while a reading is
   * under way shares the next one: partitions come in handfuls. Where it fails, who asked holds the
   * partitions and asks again.
   */
  async rehydrate(partitions: readonly number[], from: number): Promise<void> {
    // Until all is read and restored, a next owner has to read it too.
    const letGo = this.hold(partitions, from)
    this.#nextReading ??= this.#planReading(from)
    const reading = this.#nextReading
    for (const number of partitions) reading.wanted.add(number)
    reading.from = Math.min(reading.from, from)
    try {
      await reading.done
    } finally {
      letGo()
    }
  }

  /** A reading that begins once the one under way has ended. */
  #planReading(from: number): Reading {
    const reading: Reading = { wanted: new Set(), from, done: this.#reading }
    reading.done = this.#reading.then(() => {
      this.#nextReading = undefined
      return this.#read(reading.wanted, reading.from).finally(() => {
        this.#rested = undefined
      })
    })
    // A failure is told to those who asked.
    this.#reading = reading.done.catch(() => {})
    return reading
  }

  async #read(wanted: ReadonlySet<number>, from: number): Promise<void> {
    const { journal, actorOf, partitionOf, kind, follower } = this.#options
    const found = new Map<string, { record: ActorRecord<State, Event>; sequence: number }>()
    const rested = new Map<string, number>()
    this.#rested = rested
    const isPast = (id: string, sequence: number) => sequence <= (rested.get(id) ?? 0)
    await journal.read(await this.#startOf(from), ({ subject, sequence, body }) => {
      this.#alone(subject, () => {
        const id = actorOf(subject)
        const partition = this.#partitions.get(partitionOf(id))
        // One that was given up meanwhile has another owner, who reads it as well.
        if (!partition || !wanted.has(partitionOf(id)) || isPast(id, sequence)) return
        const record = body as ActorRecord<State, Event>
        found.set(id, { record, sequence })
        follower?.changed(id, sequence, record.state, 'read')
        if (kind.rests(record.state) && !partition.has(id)) found.delete(id)
      })
    })
    for (const [id, { record, sequence }] of found) {
      if (isPast(id, sequence)) continue
      const partition = this.#partitions.get(partitionOf(id))
      this.#alone(kind.subject(id), () => partition?.restore(id, record, sequence))
    }
  }

  /**
   * A server that was killed with a full disk may count its records from an earlier place again: what was written since
   * lies before a checkpoint of then.
   */
  async #startOf(from: number): Promise<number> {
    const { journal, log } = this.#options
    const newest = await journal.lastSequence()
    if (from <= newest + 1) return from
    log.error({ from, newest }, 'the journal has lost its end, and is read from its beginning')
    return 1
  }

  /**
   * A record that only another version can read, or nobody, must not keep all others from being run. Where it
   * has a state, its actor lives here without effects, so that no checkpoint passes it.
   */
  #alone(subject: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#options.log.error(
        { err: error, subject },
        'a record cannot be read, and is left as it is',
      )
    }
  }

  /** Keeps the checkpoints of `partitions` at `from` or below. @returns what ends that */
  hold(partitions: readonly number[], from: number): () => void {
    const hold = { partitions: new Set(partitions), from }
    this.#holds.add(hold)
    return () => this.#holds.delete(hold)
  }

  /** Gives partitions up once what is in their mailboxes is done. */
  async release(partitions: readonly number[]): Promise<void> {
    const leaving = partitions.flatMap((number) => this.#partitions.get(number) ?? [])
    for (const number of partitions) this.#partitions.delete(number)
    await Promise.all(leaving.map((partition) => partition.close()))
  }

  /**
   * For each partition the sequence from which a new owner must read: that of the oldest record
   * that is some live actor's last one, or that the follower has not copied yet.
   */
  checkpoints(): Map<number, number> {
    const found = this.copied()
    for (const [number, partition] of this.#partitions) {
      found.set(number, Math.min(found.get(number)!, partition.oldestSequence))
    }
    return found
  }

  /** For each partition the sequence below which the follower has copied everything. */
  copied(): Map<number, number> {
    const found = new Map<number, number>()
    const pending = this.#options.follower?.oldestPending ?? Number.POSITIVE_INFINITY
    for (const [number, partition] of this.#partitions) {
      let oldest = Math.min(this.#newest + 1, pending, partition.oldestAppending)
      for (const { partitions, from } of this.#holds) {
        if (partitions.has(number)) oldest = Math.min(oldest, from)
      }
      found.set(number, oldest)
    }
    return found
  }

  /** Whether a partition is answered for here. */
  has(partition: number): boolean {
    return this.#partitions.has(partition)
  }

  /** Live actors in memory. */
  get size(): number {
    let size = 0
    for (const partition of this.#partitions.values()) size += partition.size
    return size
  }

  #see(sequence: number): void {
    if (sequence > this.#newest) this.#newest = sequence
  }

  #appended(id: string, sequence: number, state: State): void {
    this.#see(sequence)
    if (this.#rested && this.#options.kind.rests(state)) this.#rested.set(id, sequence)
    this.#options.follower?.changed(id, sequence, state)
  }

  #receive(
    number: number,
    command: Command,
    subject: string,
    respond: (reply: unknown) => void,
  ): void {
    const partition = this.#partitions.get(number)
    if (!partition) return // just given up: the sender hears nothing and asks again
    const { accepts, actorOf, answerAfter, log } = this.#options
    if (accepts && !accepts(subject, command)) {
      log.error({ subject }, 'command refused: not for its sender to say')
      respond({ type: 'refused', reason: 'not_for_this_sender' })
      return
    }
    const id = actorOf(subject)
    const answer = (reply: unknown) => {
      const first = answerAfter?.(id, command)
      if (first) void first.then(() => respond(reply))
      else respond(reply)
    }
    partition.tell(id, command).then(answer, (error) => {
      if (error instanceof Unanswered) return
      log.error({ err: error, subject }, 'command failed')
    })
  }
}

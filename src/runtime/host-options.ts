import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Journal } from '../ports/journal.ts'
import type { Log } from '../telemetry/log.ts'
import type { Follower } from './follower.ts'
import type { ActorKind, DueEffect } from './kind.ts'

/** What a host of actors of one kind stands on. */
export interface HostOptions<State, Command, Event, Effect extends DueEffect> {
  readonly kind: ActorKind<State, Command, Event, Effect>
  readonly bus: Bus
  readonly journal: Journal
  readonly clock: Clock
  readonly log: Log
  /** A new token for each append: host and counter. */
  readonly token: () => string
  /** Where commands to a partition arrive, and which partition and actor a subject names. */
  readonly commandSubject: (partition: number) => string
  readonly actorOf: (subject: string) => string
  readonly partitionOf: (id: string) => number
  /** False: this command must not come on this subject. All may, where it is left out. */
  readonly accepts?: (subject: string, command: Command) => boolean
  readonly follower?: Follower<State>
  /** What the answer to a command waits for, if anything; never rejects. */
  readonly answerAfter?: (id: string, command: Command) => Promise<void> | undefined
}

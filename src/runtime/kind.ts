import type { DurationMs, UnixMs } from '../domain/time.ts'
import type { Traceparent } from '../domain/traceparent.ts'

/**
 * A kind of actor: pure functions, and one that touches the world. The runtime knows nothing else
 * of it.
 */
export interface ActorKind<State, Command, Event, Effect extends DueEffect> {
  /** Subject of the journal of actor `id`. */
  subject(id: string): string
  /** True where the command makes the actor: spares a read on the hot path. */
  creates(command: Command): boolean
  /**
   * Whether a command may create the actor; asked of those that do, before anything is written. At once
   * where it is known: this too is on the hot path. Left out: all may. A throw: nobody knows, and the
   * command is not answered.
   */
  admits?(command: Command): Admission | Promise<Admission>
  /** Hears of each command that has made an actor, and has what of it no journal may hold. Left out: nothing. */
  begun?(command: Command): void
  /** `command` with the trace that its message named. Left out: of no concern to this kind. */
  traced?(command: Command, trace: Traceparent): Command
  decide(state: State | undefined, command: Command): Decision<Event>
  evolve(state: State | undefined, event: Event): State
  /** What must be under way in this state. Run after each event and again after a crash. */
  due(state: State): readonly Effect[]
  /**
   * What of that may start while the record that makes it due is still being written: effects that whoever
   * runs the actor would start just so, with or without that record. Left out: none.
   */
  dueAhead?(before: State, after: State): readonly Effect[]
  /** Nothing will ever be due again unless a command comes: the actor may be forgotten. */
  rests(state: State): boolean
  /** The answer to a command, from the state after it. */
  reply(state: State | undefined, decision: Decision<Event>, command: Command): unknown
  /**
   * Carries one effect out, with the state as it is at that moment; safe to repeat. A throw is
   * tried again while the effect is due.
   */
  run(effect: Effect, state: State, context: EffectContext<Command>): Promise<void>
}

export type Decision<Event> =
  | { readonly type: 'accept'; readonly events: readonly Event[] }
  /** Heard before, or of no concern in this state. */
  | { readonly type: 'nothing' }
  /**
   * The command speaks of what this state has not come to. Another owner may have written it, so the
   * journal is read before this is an answer; then it is one, as `nothing`, or as `otherwise`. `unanswered`: it is
   * none, since the state will come to it, and whoever was not answered says it again.
   */
  | { readonly type: 'behind'; readonly unanswered?: true; readonly otherwise?: Refusal }
  | Refusal

/** `about`: what is told beside the reason. */
export interface Refusal {
  readonly type: 'refuse'
  readonly reason: string
  readonly about?: object
}

export type Admission = true | Refusal

export const accept = <Event>(...events: Event[]): Decision<Event> => ({ type: 'accept', events })
export const nothing: Decision<never> = { type: 'nothing' }
export const behind: Decision<never> = { type: 'behind' }
export const early: Decision<never> = { type: 'behind', unanswered: true }
/** @param refusal the answer where the journal knows no more */
export const behindOr = (refusal: Refusal): Decision<never> => ({
  type: 'behind',
  otherwise: refusal,
})
export const refuse = (reason: string, about?: object): Refusal =>
  about ? { type: 'refuse', reason, about } : { type: 'refuse', reason }

export interface DueEffect {
  /** Names the effect within its actor: while it stays due it is not started again. */
  readonly key: string
  /** Starts it again after this long while it is still due; for what may be lost on the way. */
  readonly everyMs?: number
  /** Starts it no earlier than this. */
  readonly notBefore?: UnixMs
  /** That is a moment by a clock of another host, or one that was set since: waits no longer than this for it. */
  readonly withinMs?: DurationMs
}

export interface EffectContext<Command> {
  /** Says something to the actor itself; nothing, once the effect is no longer due or the actor given up. */
  tell(command: Command): void
}

import type { Traceparent } from '../domain/traceparent.ts'
import type { Log } from './log.ts'

/**
 * The spans of one process. Whoever holds none of these traces nothing: a role where no collector is
 * named has no `Traces`, a request that the sampler leaves out no `Span`, and work of such a request no
 * `Traceparent`. Attributes hold ids, figures and fixed words: never a prompt, an answer, a key or a
 * wallet.
 */
export interface Traces {
  /**
   * A request from outside. Undefined: the sampler leaves it out.
   * @param traceparent the caller's header, as it came
   */
  receive(name: string, traceparent: unknown, attributes?: Attributes): Span | undefined
  /** A part of the work of `parent`, begun now. */
  begin(name: string, parent: Traceparent, attributes?: Attributes): Span
  /** Work for several at once: a trace of its own that refers to theirs. */
  gather(name: string, origins: readonly Traceparent[], attributes?: Attributes): Span
  /** What is known as a whole, now that it is over. */
  record(span: WholeSpan): void
  /** Sends what is left; where that takes long, gives it up. */
  close(): Promise<void>
}

/** An absent value is left out. The attribute `error.type` marks a span as failed. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export interface Span {
  /** For what belongs to it. */
  readonly context: Traceparent
  event(name: string, attributes?: Attributes): void
  /** Once: what is said later is not heard. */
  end(attributes?: Attributes): void
}

export interface WholeSpan {
  readonly name: string
  readonly context: Traceparent
  readonly parent: Traceparent
  /** Unix ms, like `end` and the times of the events. */
  readonly start: number
  readonly end: number
  readonly attributes: Attributes
  readonly events: readonly SpanEvent[]
}
export interface SpanEvent {
  readonly name: string
  readonly at: number
  readonly attributes?: Attributes
}

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export interface TraceOptions {
  /** Of the collector, without `/v1/traces`. Undefined: nothing is traced. */
  readonly endpoint: string | undefined
  readonly headers: Readonly<Record<string, string>>
  /** Which requests are recorded; left out by roles that receive none. */
  readonly sampler?: { readonly name: (typeof SAMPLERS)[number]; readonly ratio: number }
  readonly role: string
  /** Names this process among those of its role. */
  readonly instance: string
  readonly log: Log
}

import { createHash } from 'node:crypto'

declare const brand: unique symbol
/**
 * Where a piece of work belongs in a trace: the header `traceparent` of W3C Trace Context, version 00.
 * Only of work that is recorded; what is not has none.
 */
export type Traceparent = string & { readonly [brand]: 'Traceparent' }

/** The name of the header, in HTTP, on NATS and in offers to workers. */
export const TRACEPARENT = 'traceparent'

export interface SpanPlace {
  /** 32 hex digits. */
  readonly traceId: string
  /** 16 hex digits. */
  readonly spanId: string
  /** Whether who sent it records it. */
  readonly sampled: boolean
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Undefined where it is none: then it is as if nothing had been sent. */
export function parseTraceparent(text: unknown): SpanPlace | undefined {
  const [, version, traceId, spanId, flags, rest] =
    (typeof text === 'string' && FORM.exec(text)) || []
  if (!traceId || !spanId || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  // Later versions may say more, behind what this one says; there is no version ff.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 }
}

export const traceparentOf = (traceId: string, spanId: string): Traceparent =>
  `00-${traceId}-${spanId}-01` as Traceparent

/** What came over the bus; undefined where it is no context of recorded work. */
export function toTraceparent(text: string): Traceparent | undefined {
  const place = parseTraceparent(text)
  return place?.sampled ? traceparentOf(place.traceId, place.spanId) : undefined
}

export const traceIdOf = (context: Traceparent): string => context.slice(3, 35)

/**
 * The place of a piece of work that is named, in the trace of `context`. Its span may be told of by another
 * process than the one that began it, long after other spans refer to it: so its id is made of the name.
 */
export const namedSpan = (context: Traceparent, name: string): Traceparent =>
  traceparentOf(
    traceIdOf(context),
    createHash('sha256').update(name).digest('hex').slice(0, SPAN_ID_DIGITS),
  )
const SPAN_ID_DIGITS = 16

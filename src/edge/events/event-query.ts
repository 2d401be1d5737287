import { Type } from '@sinclair/typebox'
import type { Refusal } from '../../domain/errors.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { EVENT_TYPES, type EventType } from '../../messages/webhook.ts'

/** The query of GET /v1/events, for the documentation. */
export const eventsQuery = {
  events: Type.String({
    description: 'Event types, comma-separated. All of them by default.',
    examples: ['job.completed,credit.low'],
  }),
}
export const eventsHeaders = {
  'Last-Event-ID': Type.String({
    pattern: '^[0-9]{1,15}$',
    description:
      'The `id` of the last event that you have: the stream goes on after it. Without it, it begins with what happens from now on.',
    examples: ['1734'],
  }),
}

/** What of the events one listener wants. */
export interface EventsOrder {
  readonly types: ReadonlySet<EventType>
  /** Undefined: from now on. */
  readonly after: number | undefined
}

export function parseEventsOrder(
  query: Readonly<Record<string, string | string[] | undefined>>,
  lastEventId: string | string[] | undefined,
): Result<EventsOrder, Refusal> {
  const types = parseTypes(query.events)
  if (!types.ok) return types
  // A client that has had no event yet may send it empty.
  if (lastEventId === undefined || lastEventId === '') {
    return ok({ types: types.value, after: undefined })
  }
  if (typeof lastEventId !== 'string' || !/^\d{1,15}$/.test(lastEventId)) {
    const message = '`last-event-id` must be the `id` of an event of this stream.'
    return err({ code: 'invalid_request', message, param: 'last-event-id' })
  }
  return ok({ types: types.value, after: Number(lastEventId) })
}

function parseTypes(given: string | string[] | undefined): Result<ReadonlySet<EventType>, Refusal> {
  if (given === undefined) return ok(new Set(EVENT_TYPES))
  const names = [given].flat().flatMap((text) => text.split(','))
  const types = names.map((name) => EVENT_TYPES.find((type) => type === name.trim()))
  const unknown = types.indexOf(undefined)
  if (unknown < 0) return ok(new Set(types.filter((type) => type !== undefined)))
  const message = `\`events\` names \`${names[unknown]!.trim().slice(0, 64)}\`, which is no event type. There are ${EVENT_TYPES.join(', ')}.`
  return err({ code: 'invalid_request', message, param: 'events' })
}

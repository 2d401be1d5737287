import { type Static, Type } from '@sinclair/typebox'
import type { Refusal } from '../../domain/errors.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { toUnixMs, type UnixMs } from '../../domain/time.ts'
import type { Replayed } from '../../messages/webhook.ts'

const CHARS_MAX = 200
const text = () => Type.Optional(Type.String({ minLength: 1, maxLength: CHARS_MAX }))

/** See `ReplayRequest` in src/web/webhook-api.ts; which fields belong together is checked below. */
export const replayBody = Type.Object({
  type: Type.String(),
  event_id: text(),
  position: text(),
  from: text(),
  to: text(),
  cursor: text(),
})
export type ReplayBody = Static<typeof replayBody>

/** What a person wants delivered again, or the reason why that is not clear. */
export function parseReplayOrder(body: ReplayBody): Result<Replayed, Refusal> {
  switch (body.type) {
    case 'one':
      return parseOne(body)
    case 'failed':
      return ok({ type: 'failed' })
    case 'range':
      return parseRange(body)
    default:
      return invalid('type', '`type` must be one of one, failed, range.')
  }
}

function parseOne({ event_id: eventId, position }: ReplayBody): Result<Replayed, Refusal> {
  if (eventId === undefined) return invalid('event_id', '`event_id` is required to replay one.')
  return ok({ type: 'one', eventId, ...(position === undefined ? {} : { position }) })
}

function parseRange(body: ReplayBody): Result<Replayed, Refusal> {
  const from = parseTime('from', body.from)
  if (!from.ok) return from
  const to = parseTime('to', body.to)
  if (!to.ok) return to
  if (to.value < from.value) return invalid('to', '`to` must not be before `from`.')
  return ok({ type: 'range', from: from.value, to: to.value })
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/

function parseTime(param: 'from' | 'to', given: string | undefined): Result<UnixMs, Refusal> {
  const at = given !== undefined && TIME.test(given) ? Date.parse(given) : Number.NaN
  // The times that we can tell begin with 1970.
  return at >= 0
    ? ok(toUnixMs(at))
    : invalid(param, `\`${param}\` must be a time with its zone, such as 2026-06-01T12:00:00Z.`)
}

const invalid = (param: string, message: string) =>
  err<Refusal>({ code: 'invalid_request', message, param })

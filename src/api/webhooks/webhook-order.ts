import type { Refusal } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import { webhookSecretFault } from '../../domain/webhook-secret-fault.ts'
import { EVENT_TYPES, type EventType } from '../../messages/webhook.ts'
import type { WebhookBody } from '../schemas/webhook.ts'

/** A webhook as a caller wants it. Where its URL leads has not been looked at. */
export interface WebhookOrder {
  readonly url: string
  readonly events: readonly EventType[]
  readonly secret: string
}

/** From a body that fits the schema to an order, or the reason why not. */
export function parseWebhookOrder(body: WebhookBody): Result<WebhookOrder, Refusal> {
  const url = parseUrl(body.url)
  if (!url.ok) return url
  const events = parseEvents(body.events)
  if (!events.ok) return events
  const secret = parseSecret(body.secret)
  if (!secret.ok) return secret
  return ok({ url: url.value, events: events.value, secret: secret.value })
}

/** What a message can carry as it is; the rest is judged where deliveries start from. */
function parseUrl(url: string): Result<string, Refusal> {
  const { webhookUrlCharactersMax: most } = LIMITS
  if (url.length > most) return badUrl(`\`url\` is longer than ${most} characters.`)
  if (!url.isWellFormed())
    return badUrl('`url` holds half of a surrogate pair, which is no character.')
  return ok(url)
}

const badUrl = (message: string) =>
  err<Refusal>({ code: 'invalid_webhook_url', message, param: 'url' })

function parseEvents(given: readonly unknown[]): Result<readonly EventType[], Refusal> {
  if (given.length === 0) {
    return invalid('events', '`events` is empty: name at least one event to deliver.')
  }
  const events = new Set<EventType>()
  for (const [i, event] of given.entries()) {
    if (!isEventType(event)) return invalid(`events[${i}]`, unknownEvent(i))
    events.add(event)
  }
  return ok([...events])
}

const isEventType = (event: unknown): event is EventType =>
  EVENT_TYPES.some((known) => known === event)

const unknownEvent = (i: number): string =>
  `\`events[${i}]\` is no event. These are: ${EVENT_TYPES.join(', ')}.`

function parseSecret(secret: string): Result<string, Refusal> {
  const fault = webhookSecretFault(secret)
  return fault === undefined ? ok(secret) : invalid('secret', `\`secret\` ${fault}.`)
}

const invalid = (param: string, message: string) =>
  err<Refusal>({ code: 'invalid_request', message, param })

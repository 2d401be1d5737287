import { type Static, Type } from '@sinclair/typebox'
import { LIMITS } from '../../domain/limits.ts'
import { EVENT_TYPES } from '../../messages/webhook.ts'
import { oneOf, shownAs, timestamp } from './forms.ts'

const WEBHOOK = `wh_${'7k2m'.repeat(6)}`
export const webhookId = (description: string) =>
  Type.String({ pattern: '^wh_[0-9a-z]{24}$', description, examples: [WEBHOOK] })

const url = (description: string) =>
  Type.String({ description, examples: ['https://example.com/hooks/inference'] })
const eventTypes = (description: string) =>
  Type.Array(oneOf(EVENT_TYPES, 'One of the events.'), { minItems: 1, description })
const secret = Type.String({
  minLength: LIMITS.webhookSecretCharactersMin,
  maxLength: LIMITS.webhookSecretCharactersMax,
  description: `Signs the deliveries: ${LIMITS.webhookSecretCharactersMin} to ${LIMITS.webhookSecretCharactersMax} characters, best 32 random ones or more. It is never shown again.`,
  examples: ['9f2c4e6a8b0d1f3a5c7e9b1d3f5a7c9e'],
})

/**
 * Body of POST /v1/webhooks. Unknown fields pass. What a schema would refuse in fewer words than a
 * person needs is checked in src/api/webhooks/webhook-order.ts.
 */
export const webhookBody = Type.Object(
  {
    url: url('Where deliveries go: `https://`, and a host on the public internet.'),
    events: shownAs(
      Type.Array(Type.Unknown()),
      eventTypes('What to deliver: any combination. One that is named twice counts once.'),
    ),
    secret: shownAs(Type.String(), secret),
  },
  {
    title: 'WebhookRequest',
    description: 'A new webhook.',
    examples: [
      {
        url: 'https://example.com/hooks/inference',
        events: ['job.completed', 'credit.low'],
        secret: '9f2c4e6a8b0d1f3a5c7e9b1d3f5a7c9e',
      },
    ],
  },
)
export type WebhookBody = Static<typeof webhookBody>

export const webhookSchema = Type.Object(
  {
    id: webhookId('The ID.'),
    url: url('Where deliveries go.'),
    events: eventTypes('What is delivered.'),
    created_at: timestamp('When it was made.'),
    status: oneOf(
      ['active', 'failed'],
      '`active`: events are delivered. `failed`: a delivery failed five times, and nothing is sent until the webhook is enabled again in the web app.',
    ),
  },
  { title: 'Webhook', description: 'An endpoint that events are delivered to.' },
)

export const webhookListSchema = Type.Object(
  {
    object: oneOf(['list'], 'Always `list`.'),
    data: Type.Array(webhookSchema, { description: 'Newest first.' }),
  },
  { title: 'WebhookList' },
)

export const deletedWebhookSchema = Type.Object(
  {
    id: webhookId('The webhook that was deleted.'),
    deleted: Type.Literal(true, { description: 'Always true.' }),
  },
  { title: 'DeletedWebhook' },
)

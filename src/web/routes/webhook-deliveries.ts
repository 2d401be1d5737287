import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { RefusalError, refuse } from '../../api/http/errors.ts'
import type { AskWebhooks } from '../../api/webhooks/ask-webhooks.ts'
import { EVENT_TYPES } from '../../messages/webhook.ts'
import { limitOf, type Query } from '../http/limit.ts'
import { sessionOf } from '../sessions/signed-in.ts'
import type { DeliveriesPage, Replayed, TestSent } from '../webhook-api.ts'
import { askFor } from '../webhooks/ask.ts'
import { publicDelivery } from '../webhooks/public-delivery.ts'
import { parseReplayOrder, type ReplayBody, replayBody } from '../webhooks/replay-order.ts'

interface OfOne {
  readonly Params: { readonly id: string }
}

const testBody = Type.Object({ event: Type.String() })

/** What a webhook was sent, and sending it again. */
export function webhookDeliveries(server: FastifyInstance, { ask }: { ask: AskWebhooks }): void {
  server.get<OfOne & { Querystring: Query }>(
    '/api/webhooks/:id/deliveries',
    async (request): Promise<DeliveriesPage> => {
      const { wallet } = sessionOf(request)
      const { query, params } = request
      const cursor = single(query, 'cursor')
      const { deliveries, cursor: next } = await askFor('deliveries', ask, {
        ...{ type: 'ListDeliveries', wallet, webhookId: params.id },
        ...{ failedOnly: failedOnlyOf(query), limit: limitOf(query) },
        ...(cursor === undefined ? {} : { cursor }),
      })
      return { data: deliveries.map(publicDelivery), has_more: next !== null, next_cursor: next }
    },
  )

  server.post<OfOne & { Body: Static<typeof testBody> }>(
    '/api/webhooks/:id/test',
    { schema: { body: testBody } },
    async (request, reply): Promise<TestSent> => {
      const { wallet } = sessionOf(request)
      const event = EVENT_TYPES.find((each) => each === request.body.event)
      if (!event) throw invalid('event', `\`event\` must be one of ${EVENT_TYPES.join(', ')}.`)
      const wish = { type: 'SendTestEvent', wallet, webhookId: request.params.id, event } as const
      const { eventId } = await askFor('test_sent', ask, wish)
      reply.code(202)
      return { event_id: eventId }
    },
  )

  server.post<OfOne & { Body: ReplayBody }>(
    '/api/webhooks/:id/replay',
    { schema: { body: replayBody } },
    async (request, reply): Promise<Replayed> => {
      const { wallet } = sessionOf(request)
      const which = parseReplayOrder(request.body)
      if (!which.ok) throw new RefusalError(which.error)
      const { cursor } = request.body
      const { events, cursor: next } = await askFor('replayed', ask, {
        ...{ type: 'ReplayDeliveries', wallet, webhookId: request.params.id },
        which: which.value,
        ...(cursor === undefined ? {} : { cursor }),
      })
      reply.code(202)
      return { events, next_cursor: next }
    },
  )
}

function single(query: Query, name: string): string | undefined {
  const value = query[name]
  if (Array.isArray(value)) throw invalid(name, `\`${name}\` was given more than once.`)
  return value
}

function failedOnlyOf(query: Query): boolean {
  const text = single(query, 'failed_only') ?? 'false'
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalid('failed_only', '`failed_only` must be true or false.')
}

const invalid = (param: string, message: string) => refuse('invalid_request', message, { param })

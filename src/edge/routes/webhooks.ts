import type { FastifyInstance } from 'fastify'
import { RefusalError, refuse } from '../../api/http/errors.ts'
import { type WebhookBody, webhookBody } from '../../api/schemas/webhook.ts'
import type { AskWebhooks } from '../../api/webhooks/ask-webhooks.ts'
import { publicWebhook } from '../../api/webhooks/public-webhook.ts'
import { parseWebhookOrder } from '../../api/webhooks/webhook-order.ts'
import { isReply, webhookRefusal } from '../../api/webhooks/webhook-refusal.ts'
import { assert } from '../../domain/result.ts'
import type { WebhookRefusal, WebhookReply } from '../../messages/webhook.ts'
import type { Clock } from '../../ports/clock.ts'
import { callerOf } from '../callers/caller.ts'
import { joinKeyOf } from '../chat/join-key.ts'
import { createWebhook, deleteWebhook, listWebhooks } from '../openapi/operations.ts'
import { requestNameOf } from '../webhooks/request-name.ts'

interface Options {
  readonly ask: AskWebhooks
  readonly clock: Clock
}

export function webhooks(server: FastifyInstance, { ask, clock }: Options): void {
  server.post<{ Body: WebhookBody }>(
    '/v1/webhooks',
    { schema: { body: webhookBody }, config: { operation: createWebhook } },
    async (request, reply) => {
      const order = parseWebhookOrder(request.body)
      if (!order.ok) throw new RefusalError(order.error)
      const join = joinKeyOf(request.headers, request.bodyDigest)
      if (!join.ok) throw new RefusalError(join.error)
      const { wallet } = callerOf(request)
      const id = requestNameOf(wallet, join.value, (count) => clock.randomBytes(count))
      const answer = await ask({ type: 'CreateWebhook', id, wallet, ...order.value })
      const { webhook } = expect(answer, 'webhook')
      return reply.code(201).send(publicWebhook(webhook))
    },
  )

  server.get('/v1/webhooks', { config: { operation: listWebhooks } }, async (request) => {
    const { wallet } = callerOf(request)
    const { webhooks } = expect(await ask({ type: 'ListWebhooks', wallet }), 'webhooks')
    return { object: 'list', data: webhooks.map(publicWebhook) }
  })

  server.delete<{ Params: { id: string } }>(
    '/v1/webhooks/:id',
    { config: { operation: deleteWebhook } },
    async (request) => {
      const { wallet } = callerOf(request)
      const { id } = request.params
      const { webhookId } = expect(
        await ask({ type: 'DeleteWebhook', wallet, webhookId: id }),
        'deleted',
      )
      return { id: webhookId, deleted: true }
    },
  )
}

/** The reply that was asked for; any other leaves as the refusal that it is. */
function expect<Type extends WebhookReply['type']>(
  reply: WebhookReply,
  type: Type,
): Extract<WebhookReply, { type: Type }> {
  if (isReply(reply, type)) return reply
  if (reply.type === 'refused') throw refusalOf(reply.refusal)
  assert(reply.type === 'unavailable', `webhooks: ${reply.type} where ${type} was asked for`)
  throw refuse(
    'service_unavailable',
    'Webhooks cannot be reached at the moment. Look at GET /v1/webhooks before you try again: what you asked for may have been done.',
  )
}

function refusalOf({ code, ...rest }: WebhookRefusal): RefusalError {
  assert(code !== 'delivery_not_found', 'the API asks for no deliveries')
  return webhookRefusal({ code, ...rest })
}

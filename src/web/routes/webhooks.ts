import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { RefusalError } from '../../api/http/errors.ts'
import type { AskWebhooks } from '../../api/webhooks/ask-webhooks.ts'
import { publicWebhook } from '../../api/webhooks/public-webhook.ts'
import { parseWebhookOrder } from '../../api/webhooks/webhook-order.ts'
import { makeWebhookId, WEBHOOK_ID_BYTES } from '../../domain/webhook-id.ts'
import { SECRET_BYTES, webhookSecret } from '../../domain/webhook-secret.ts'
import type { Clock } from '../../ports/clock.ts'
import { sessionOf } from '../sessions/signed-in.ts'
import type { CreatedWebhook, WebWebhook } from '../webhook-api.ts'
import { askFor } from '../webhooks/ask.ts'

interface Options {
  readonly ask: AskWebhooks
  readonly clock: Clock
}

const webhookBody = Type.Object({
  url: Type.String(),
  events: Type.Array(Type.Unknown()),
  secret: Type.Optional(Type.String()),
})
interface OfOne {
  readonly Params: { readonly id: string }
}

/** Webhooks come and go; what was delivered is in webhook-deliveries.ts. */
export function webhooks(server: FastifyInstance, { ask, clock }: Options): void {
  server.get('/api/webhooks', async (request): Promise<{ data: readonly WebWebhook[] }> => {
    const { wallet } = sessionOf(request)
    const { webhooks } = await askFor('webhooks', ask, { type: 'ListWebhooks', wallet })
    return { data: webhooks.map(publicWebhook) }
  })

  server.post<{ Body: Static<typeof webhookBody> }>(
    '/api/webhooks',
    { schema: { body: webhookBody } },
    async (request, reply): Promise<CreatedWebhook> => {
      const { wallet } = sessionOf(request)
      const given = request.body.secret
      const secret = given ?? webhookSecret(clock.randomBytes(SECRET_BYTES))
      const order = parseWebhookOrder({ ...request.body, secret })
      if (!order.ok) throw new RefusalError(order.error)
      const id = makeWebhookId(clock.randomBytes(WEBHOOK_ID_BYTES))
      const wish = { type: 'CreateWebhook', id, wallet, ...order.value } as const
      const { webhook } = await askFor('webhook', ask, wish)
      reply.code(201)
      return { ...publicWebhook(webhook), secret: given === undefined ? secret : null }
    },
  )

  server.delete<OfOne>('/api/webhooks/:id', async (request, reply) => {
    const { wallet } = sessionOf(request)
    const webhookId = request.params.id
    await askFor('deleted', ask, { type: 'DeleteWebhook', wallet, webhookId })
    return reply.code(204).send()
  })

  server.post<OfOne>('/api/webhooks/:id/enable', async (request): Promise<WebWebhook> => {
    const { wallet } = sessionOf(request)
    const webhookId = request.params.id
    const wish = { type: 'EnableWebhook', wallet, webhookId } as const
    return publicWebhook((await askFor('webhook', ask, wish)).webhook)
  })
}

import { type RefusalError, refuse } from '../../api/http/errors.ts'
import type { AskWebhooks } from '../../api/webhooks/ask-webhooks.ts'
import { isReply, webhookRefusal } from '../../api/webhooks/webhook-refusal.ts'
import { assert } from '../../domain/result.ts'
import type { WebhookRefusal, WebhookReply, WebhookRequest } from '../../messages/webhook.ts'
import { refuseWeb, type WebRefusalError } from '../http/errors.ts'

/**
 * The reply to what was asked for.
 * @throws {RefusalError} {WebRefusalError} what the webhook service refuses, or that it does not answer
 */
export async function askFor<Type extends WebhookReply['type']>(
  type: Type,
  ask: AskWebhooks,
  request: WebhookRequest,
): Promise<Extract<WebhookReply, { type: Type }>> {
  const reply = await ask(request)
  if (isReply(reply, type)) return reply
  if (reply.type === 'refused') throw refusalOf(reply.refusal)
  assert(reply.type === 'unavailable', `webhooks: ${reply.type} where ${type} was asked for`)
  throw refuse(
    'service_unavailable',
    'Webhooks cannot be reached at the moment. Look at the list before you try again: what you asked for may have been done.',
  )
}

function refusalOf({ code, message, param }: WebhookRefusal): RefusalError | WebRefusalError {
  if (code !== 'delivery_not_found') return webhookRefusal({ code, message, param })
  return refuseWeb(code, message, param === null ? {} : { param })
}

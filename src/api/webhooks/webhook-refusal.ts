import {
  WEBHOOKS_PER_WALLET,
  type WebhookRefusal,
  type WebhookReply,
} from '../../messages/webhook.ts'
import { type RefusalError, refuse } from '../http/errors.ts'

type Reply<Type> = Extract<WebhookReply, { type: Type }>
type Code = Exclude<WebhookRefusal['code'], 'delivery_not_found'>

/** Whether the webhook service answered with what was asked for. */
export const isReply = <Type extends WebhookReply['type']>(
  reply: WebhookReply,
  type: Type,
): reply is Reply<Type> => reply.type === type

/** What the webhook service refuses, as the public API says it. */
export const webhookRefusal = ({
  code,
  message,
  param,
}: WebhookRefusal & { readonly code: Code }): RefusalError =>
  refuse(code, message, {
    ...(param === null ? {} : { param }),
    ...(code === 'webhook_limit_reached' ? { details: { webhooks_max: WEBHOOKS_PER_WALLET } } : {}),
  })

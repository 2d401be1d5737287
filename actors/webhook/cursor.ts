import type { WebhookRefusal } from '../../src/messages/webhook.ts'

/** Pages of deliveries go on from a sequence in a stream. */
export const isCursor = (text: string): boolean => /^[1-9]\d{0,15}$/.test(text)

export const BAD_CURSOR: WebhookRefusal = {
  code: 'invalid_request',
  message: '`cursor` must be one that the answer before has given.',
  param: 'cursor',
}

import { isoTimestamp } from '../../domain/time.ts'
import type { WebhookView } from '../../messages/webhook.ts'

/** The public Webhook (specification, Resources). */
export const publicWebhook = ({ id, url, events, createdAt, status }: WebhookView) => ({
  id,
  url,
  events: [...events],
  created_at: isoTimestamp(createdAt),
  status,
})

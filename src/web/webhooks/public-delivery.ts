import { isoTimestamp } from '../../domain/time.ts'
import type { AttemptView, DeliveryView } from '../../messages/webhook.ts'
import type { WebDelivery } from '../webhook-api.ts'

export const publicDelivery = (delivery: DeliveryView): WebDelivery => ({
  position: delivery.position,
  event_id: delivery.eventId,
  event: delivery.eventType,
  status: delivery.status,
  body: delivery.body,
  attempts: delivery.attempts.map(publicAttempt),
})

const publicAttempt = (made: AttemptView): WebDelivery['attempts'][number] => ({
  attempt: made.attempt,
  at: isoTimestamp(made.at),
  latency_ms: made.latencyMs,
  status: made.status,
  error: made.error,
  answer_start: made.answerStart,
  delivered: made.delivered,
  next_at: made.nextAt === null ? null : isoTimestamp(made.nextAt),
})

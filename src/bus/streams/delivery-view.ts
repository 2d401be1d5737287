import type { Attempt, AttemptView, DeliveryView } from '../../messages/webhook.ts'
import type { Kept } from './attempt-chain.ts'

export type KeptAttempt = Kept<Attempt>

/** @param attempts of one delivery, oldest first, one at least; the eldest may have aged out */
export function viewOf(attempts: readonly KeptAttempt[]): DeliveryView {
  const last = attempts.at(-1)!
  const { eventId, eventType, body, earlier } = last.content
  return {
    position: String(earlier[0] ?? last.sequence),
    eventId,
    eventType,
    status: statusOf(last.content),
    body,
    attempts: attempts.map(({ content }) => attemptView(content)),
  }
}

function statusOf({ delivered, nextAt }: Attempt): DeliveryView['status'] {
  if (delivered) return 'delivered'
  return nextAt === null ? 'failed' : 'waiting'
}

const attemptView = (attempt: Attempt): AttemptView => ({
  cause: attempt.cause,
  round: attempt.round,
  attempt: attempt.attempt,
  at: attempt.at,
  latencyMs: attempt.latencyMs,
  status: attempt.status,
  error: attempt.error,
  answerStart: attempt.answerStart,
  delivered: attempt.delivered,
  nextAt: attempt.nextAt,
})

import { addMs, type DurationMs, type UnixMs } from '../../src/domain/time.ts'
import type { Attempt, Delivery } from '../../src/messages/webhook.ts'
import type { HookWait } from '../../src/ports/webhook-queues.ts'
import { HOOK_WAITS_SECONDS } from '../../src/ports/webhook-queues.ts'
import type { WebhookAnswer } from '../../src/ports/webhook-sender.ts'

/** Before each attempt of a delivery, counted from the failure of the one before. */
export type RetrySchedule = readonly DurationMs[]

/** The attempt as it is kept. @param at when it began @param endedAt what the next one counts from */
export function attemptOf(
  { body, dueAt: _, attempt, since: _since, ...delivery }: Delivery,
  answer: WebhookAnswer,
  { at, endedAt, schedule }: { at: UnixMs; endedAt: UnixMs; schedule: RetrySchedule },
): Attempt {
  const wait = delivery.cause === 'test' ? undefined : schedule[attempt]
  const nextAt = answer.delivered || wait === undefined ? null : addMs(endedAt, wait)
  const { latencyMs, ...rest } = answer
  return { ...delivery, attempt, at, latencyMs: Math.round(latencyMs), ...rest, nextAt, body }
}

/** What is owed after it. @param kept where the attempt is kept @returns undefined: nothing more */
export function nextOf(
  delivery: Delivery,
  { nextAt }: Attempt,
  kept: number,
): Delivery | undefined {
  if (nextAt === null) return undefined
  const { attempt, earlier } = delivery
  return { ...delivery, attempt: attempt + 1, dueAt: nextAt, earlier: [...earlier, kept] }
}

/** No attempt is left, and the endpoint of the webhook has had its chances. */
export const isLastFailure = ({ delivered, nextAt, cause }: Attempt): boolean =>
  !delivered && nextAt === null && cause !== 'test'

/** What is owed to a webhook that has failed is not tried any more: it can be replayed. */
export const notTried: WebhookAnswer = {
  delivered: false,
  status: null,
  error: 'not sent: the webhook is in its failed state. Enable it, or replay what it missed.',
  answerStart: '',
  latencyMs: 0,
}

/**
 * Which line it waits in next, so that it is there in time: the longest that is not too long. 0: it is
 * due within a second.
 */
export function waitFor(span: DurationMs): HookWait | 0 {
  return HOOK_WAITS_SECONDS.findLast((seconds) => seconds * 1_000 <= span) ?? 0
}

/** Names what is put into the queue, so that the same put twice is there once. */
export const deliveryKey = ({ eventId, webhookId, round, attempt }: Delivery): string =>
  `${eventId}.${webhookId}.${round}.${attempt}`

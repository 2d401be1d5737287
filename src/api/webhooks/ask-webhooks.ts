import type { DurationMs } from '../../domain/time.ts'
import { SUBJECTS } from '../../messages/subjects.ts'
import type { WebhookReply, WebhookRequest } from '../../messages/webhook.ts'
import { type Bus, NoResponders, RequestTimeout } from '../../ports/bus.ts'

/** What the webhook service answers; `unavailable` too where it does not. */
export type AskWebhooks = (request: WebhookRequest) => Promise<WebhookReply>

/** The host of a new webhook is looked up before it is answered, which may take some seconds. */
const ANSWER_WITHIN_MS: DurationMs = 15_000

export const makeAskWebhooks =
  (bus: Bus): AskWebhooks =>
  async (request) => {
    try {
      return await bus.request<WebhookReply>(SUBJECTS.webhooks, request, ANSWER_WITHIN_MS)
    } catch (error) {
      if (error instanceof NoResponders) return { type: 'unavailable', reason: 'nobody answers' }
      if (error instanceof RequestTimeout)
        return { type: 'unavailable', reason: 'no answer in time' }
      throw error
    }
  }

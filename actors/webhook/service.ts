import { SUBJECTS } from '../../src/messages/subjects.ts'
import type { WebhookReply, WebhookRequest } from '../../src/messages/webhook.ts'
import type { Bus, Subscription } from '../../src/ports/bus.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { WebhookHandlers } from './requests.ts'

interface Options {
  readonly handlers: Partial<WebhookHandlers>
  readonly bus: Bus
  readonly log: Log
}

const QUEUE = 'webhook'

/** Answers what edges and the web app ask of webhooks. Runs in each host: they share the requests. */
export function makeWebhookService({ handlers, bus, log }: Options): {
  start(): Promise<void>
  stop(): Promise<void>
} {
  let subscription: Subscription | undefined

  const answer = async (request: WebhookRequest): Promise<WebhookReply> => {
    const { type, wallet } = request
    try {
      // The handler under a request's type takes that request.
      const handler = handlers[type] as
        | ((request: WebhookRequest) => Promise<WebhookReply>)
        | undefined
      if (handler) return await handler(request)
      log.warn({ wallet, type }, 'webhooks: a request that this version does not know')
      return { type: 'unavailable', reason: 'not every host has the new version yet' }
    } catch (error) {
      log.warn({ err: error, wallet, type }, 'webhooks: not answered')
      return { type: 'unavailable', reason: 'the webhooks cannot be read or changed at the moment' }
    }
  }

  return {
    start: async () => {
      subscription = bus.subscribe(
        SUBJECTS.webhooks,
        // Only edges and the web app's API ask here.
        (message, _subject, respond) => answer(message as WebhookRequest).then(respond),
        { queue: QUEUE },
      )
    },
    stop: async () => subscription?.unsubscribe(),
  }
}

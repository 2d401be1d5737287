import { makeWebhookId, WEBHOOK_ID_BYTES } from '../../src/domain/webhook-id.ts'
import {
  API_VERSION,
  type CreateWebhook,
  type DeleteWebhook,
  type EnableWebhook,
  type ListWebhooks,
  type WebhookRecord,
  type WebhookRefusal,
  type WebhookReply,
  type WebhookRequest,
} from '../../src/messages/webhook.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { WebhookTargets } from '../../src/ports/webhook-sender.ts'
import type { WebhookRecords } from './records.ts'
import type { Secrets } from './secrets.ts'
import {
  activate,
  add,
  find,
  isFull,
  limitReached,
  madeBy,
  remove,
  unknownWebhook,
  viewOf,
} from './wallet-webhooks.ts'

/** What answers each kind of request; a throw is answered as `unavailable`. */
export type WebhookHandlers = {
  readonly [Type in WebhookRequest['type']]: (
    request: Extract<WebhookRequest, { type: Type }>,
  ) => Promise<WebhookReply>
}

interface Options {
  readonly records: WebhookRecords
  readonly secrets: Secrets
  readonly targets: WebhookTargets
  readonly clock: Clock
}

type Answered = 'CreateWebhook' | 'ListWebhooks' | 'DeleteWebhook' | 'EnableWebhook'

/** Webhooks come and go. */
export const webhookRequests = (options: Options): Pick<WebhookHandlers, Answered> => ({
  CreateWebhook: create(options),
  ListWebhooks: list(options),
  DeleteWebhook: deleteOne(options),
  EnableWebhook: enable(options),
})

const create =
  ({ records, secrets, targets, clock }: Options) =>
  async (request: CreateWebhook): Promise<WebhookReply> => {
    const { id: requestName, wallet, url, events, secret } = request
    const before = await records.of(wallet)
    const earlier = madeBy(before, requestName)
    if (earlier) return repeated(earlier, request, secrets)
    // Said before anything is looked up; who is faster meanwhile is noticed below.
    if (isFull(before)) return refused(limitReached())
    const target = await targets.check(url)
    if (!target.ok) {
      return refused({ code: 'invalid_webhook_url', message: target.error, param: 'url' })
    }
    // Never the request's: the one that it made before may be deleted, and still be owed something.
    const id = makeWebhookId(clock.randomBytes(WEBHOOK_ID_BYTES))
    const webhook = {
      id,
      requestName,
      url,
      events,
      createdAt: clock.now(),
      apiVersion: API_VERSION,
      status: 'active',
      sealedSecret: secrets.seal(id, secret),
    } as const
    const changed = await records.change(wallet, (webhooks) => add(webhooks, webhook))
    if (!changed.ok) return refused(changed.error)
    // Another host may have answered the same request first.
    return repeated(madeBy(changed.value, requestName) ?? webhook, request, secrets)
  }

/** The answer to the request that made `webhook`, or to one of the same id that asks for another. */
function repeated(
  webhook: WebhookRecord,
  { url, events, secret }: CreateWebhook,
  secrets: Secrets,
): WebhookReply {
  const isSame =
    webhook.url === url &&
    webhook.events.join() === events.join() &&
    secrets.open(webhook) === secret
  return isSame ? { type: 'webhook', webhook: viewOf(webhook) } : refused(KEY_TAKEN)
}

const KEY_TAKEN: WebhookRefusal = {
  code: 'invalid_request',
  message:
    'This `Idempotency-Key` was sent before with another body. The same key repeats the same ' +
    'request; take a new key for a new webhook.',
  param: 'Idempotency-Key',
}

const list =
  ({ records }: Options) =>
  async ({ wallet }: ListWebhooks): Promise<WebhookReply> => {
    const { webhooks } = await records.of(wallet)
    return { type: 'webhooks', webhooks: webhooks.map(viewOf) }
  }

const deleteOne =
  ({ records }: Options) =>
  async ({ wallet, webhookId }: DeleteWebhook): Promise<WebhookReply> => {
    const changed = await records.change(wallet, (webhooks) => remove(webhooks, webhookId))
    return changed.ok ? { type: 'deleted', webhookId } : refused(changed.error)
  }

const enable =
  ({ records, clock }: Options) =>
  async ({ wallet, webhookId }: EnableWebhook): Promise<WebhookReply> => {
    const changed = await records.change(wallet, (webhooks) =>
      activate(webhooks, webhookId, clock.now()),
    )
    if (!changed.ok) return refused(changed.error)
    const webhook = find(changed.value, webhookId)
    return webhook
      ? { type: 'webhook', webhook: viewOf(webhook) }
      : refused(unknownWebhook(webhookId))
  }

export const refused = (refusal: WebhookRefusal): WebhookReply => ({ type: 'refused', refusal })

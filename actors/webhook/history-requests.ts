import { envelopeOf } from '../../src/messages/envelope.ts'
import type {
  Delivery,
  ListDeliveries,
  SendTestEvent,
  WebhookRecord,
  WebhookReply,
  WebhookRequest,
} from '../../src/messages/webhook.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { DeliveryHistory } from '../../src/ports/delivery-history.ts'
import type { FactReader } from '../../src/ports/fact-reader.ts'
import { BAD_CURSOR, isCursor } from './cursor.ts'
import type { WebhookRecords } from './records.ts'
import { makeReplay } from './replay.ts'
import type { ReplayRoom } from './replay-room.ts'
import { refused, type WebhookHandlers } from './requests.ts'
import { sampleFact } from './sample-facts.ts'
import { TestPace } from './test-pace.ts'
import { find, unknownWebhook } from './wallet-webhooks.ts'

export interface HistoryOptions {
  readonly records: WebhookRecords
  readonly history: DeliveryHistory
  readonly facts: FactReader
  /** Resolves once the delivery is owed, whatever becomes of this process. */
  owe(delivery: Delivery): Promise<void>
  /** Whether there is room for what nobody pays for. */
  readonly room: ReplayRoom
  readonly clock: Clock
}

type Answered = 'ListDeliveries' | 'SendTestEvent' | 'ReplayDeliveries'

/** What became of deliveries, and once more. */
export const historyRequests = (options: HistoryOptions): Pick<WebhookHandlers, Answered> => ({
  ListDeliveries: ofWebhook(options, list(options)),
  SendTestEvent: ofWebhook(options, sendTest(options)),
  ReplayDeliveries: ofWebhook(options, makeReplay(options)),
})

const ofWebhook =
  <Request extends Extract<WebhookRequest, { type: Answered }>>(
    { records }: HistoryOptions,
    answer: (request: Request, webhook: WebhookRecord) => Promise<WebhookReply>,
  ) =>
  async (request: Request): Promise<WebhookReply> => {
    const { wallet, webhookId } = request
    const webhook = find(await records.of(wallet), webhookId)
    return webhook ? answer(request, webhook) : refused(unknownWebhook(webhookId))
  }

const LIMIT_MOST = 100

const list =
  ({ history }: HistoryOptions) =>
  async (request: ListDeliveries): Promise<WebhookReply> => {
    const { wallet, webhookId, limit, failedOnly, cursor } = request
    if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MOST) {
      const message = `\`limit\` must be a whole number from 1 to ${LIMIT_MOST}.`
      return refused({ code: 'invalid_request', message, param: 'limit' })
    }
    if (cursor !== undefined && !isCursor(cursor)) return refused(BAD_CURSOR)
    const wanted = { failedOnly, limit, ...(cursor === undefined ? {} : { cursor }) }
    return { type: 'deliveries', ...(await history.page({ wallet, webhookId }, wanted)) }
  }

const sendTest = ({ clock, owe, room }: HistoryOptions) => {
  const pace = new TestPace(clock)
  return async (request: SendTestEvent, { apiVersion }: WebhookRecord): Promise<WebhookReply> => {
    const { wallet, webhookId, event } = request
    const refusal = pace.take(webhookId) ?? (await room(webhookId))
    if (refusal) return refused(refusal)
    const at = clock.now()
    const fact = sampleFact(event, { wallet, at, random: clock.randomBytes(16) })
    await owe({
      wallet,
      webhookId,
      eventId: fact.id,
      eventType: event,
      body: envelopeOf(fact, apiVersion),
      attempt: 1,
      dueAt: at,
      cause: 'test',
      round: at,
      earlier: [],
    })
    return { type: 'test_sent', eventId: fact.id }
  }
}

import type { Address } from '../../src/domain/ids.ts'
import { err, ok, type Result, unreachable } from '../../src/domain/result.ts'
import { addMs, toUnixMs, type UnixMs } from '../../src/domain/time.ts'
import { envelopeOf } from '../../src/messages/envelope.ts'
import type { Fact } from '../../src/messages/fact.ts'
import type {
  Delivery,
  EventType,
  ReplayDeliveries,
  WebhookRecord,
  WebhookRefusal,
  WebhookReply,
} from '../../src/messages/webhook.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { DeliveryHistory } from '../../src/ports/delivery-history.ts'
import type { FactReader } from '../../src/ports/fact-reader.ts'
import { BAD_CURSOR, isCursor } from './cursor.ts'
import type { WebhookRecords } from './records.ts'
import { refused } from './requests.ts'
import { activate } from './wallet-webhooks.ts'

interface Options {
  readonly records: WebhookRecords
  readonly history: DeliveryHistory
  readonly facts: FactReader
  owe(delivery: Delivery): Promise<void>
  readonly clock: Clock
}

/** Looked at for one request: who asks waits for it, and goes on with the cursor. */
const FACTS_PER_REQUEST = 1_000
const FAILED_PER_REQUEST = 500
const FAILED_PAGE = 100
/** A fact is stored some time after it happened, by a clock that is not the one that says when. */
const TELLING_MOST_MS = 10 * 60_000

/** One replay as it is under way. */
interface Replay {
  readonly webhook: WebhookRecord
  readonly wallet: Address
  /** Owes one event again. */
  again(event: ReplayedEvent): Promise<void>
}
interface ReplayedEvent {
  readonly id: string
  readonly type: EventType
  readonly body: string
}

/** How many were owed again, and where to go on. */
interface Progress {
  readonly events: number
  readonly cursor: string | null
}

type Plan = (replay: Replay) => Promise<Progress>

/** Delivers again what has failed, or what was never sent. A repeated request is one more replay. */
export function makeReplay(options: Options) {
  const { records, history, facts, owe, clock } = options

  return async (request: ReplayDeliveries, webhook: WebhookRecord): Promise<WebhookReply> => {
    const { wallet, webhookId } = request
    const plan = await planOf(request)
    if (!plan.ok) return refused(plan.error)
    // Before anything is owed: a failed webhook's deliveries end unmade.
    const active = await records.change(wallet, (webhooks) =>
      activate(webhooks, webhookId, clock.now()),
    )
    if (!active.ok) return refused(active.error)
    const round = clock.now()
    const replay: Replay = {
      webhook,
      wallet,
      again: ({ id, type, body }) =>
        owe({
          wallet,
          webhookId,
          eventId: id,
          eventType: type,
          body,
          attempt: 1,
          dueAt: round,
          cause: 'replay',
          round,
          earlier: [],
        }),
    }
    return { type: 'replayed', ...(await plan.value(replay)) }
  }

  async function planOf(request: ReplayDeliveries): Promise<Result<Plan, WebhookRefusal>> {
    const { which, cursor } = request
    if (cursor !== undefined && !isCursor(cursor)) return err(BAD_CURSOR)
    switch (which.type) {
      case 'one': {
        const event = await found(request, which)
        return event ? ok((replay) => again(replay, event)) : err(unknownDelivery(which.eventId))
      }
      case 'failed':
        return ok((replay) => failedOnes(replay, cursor))
      case 'range':
        if (!(which.from <= which.to)) return err(BAD_RANGE)
        return ok((replay) => range(replay, which, cursor))
      default:
        return unreachable(which)
    }
  }

  async function found(
    { wallet, webhookId }: ReplayDeliveries,
    { eventId, position }: { readonly eventId: string; readonly position?: string },
  ): Promise<ReplayedEvent | undefined> {
    const view = await history.find({ wallet, webhookId }, eventId, position)
    return view && { id: eventId, type: view.eventType, body: view.body }
  }

  async function again(replay: Replay, event: ReplayedEvent): Promise<Progress> {
    await replay.again(event)
    return { events: 1, cursor: null }
  }

  async function failedOnes(replay: Replay, cursor: string | undefined): Promise<Progress> {
    const { wallet, webhook } = replay
    /** An event that failed twice is delivered once. */
    const seen = new Set<string>()
    let next: string | null | undefined = cursor
    for (let looked = 0; looked < FAILED_PER_REQUEST; looked += FAILED_PAGE) {
      const wanted = { failedOnly: true, limit: FAILED_PAGE, ...(next ? { cursor: next } : {}) }
      const page = await history.page({ wallet, webhookId: webhook.id }, wanted)
      const events = page.deliveries.filter(({ eventId }) => !seen.has(eventId))
      for (const { eventId } of events) seen.add(eventId)
      await Promise.all(
        events.map(({ eventId, eventType, body }) =>
          replay.again({ id: eventId, type: eventType, body }),
        ),
      )
      next = page.cursor
      if (next === null) break
    }
    return { events: seen.size, cursor: next ?? null }
  }

  async function range(
    replay: Replay,
    { from, to }: { readonly from: UnixMs; readonly to: UnixMs },
    cursor: string | undefined,
  ): Promise<Progress> {
    const { webhook, wallet } = replay
    const after =
      cursor === undefined
        ? (await facts.since(toUnixMs(Math.max(0, from - TELLING_MOST_MS)))) - 1
        : Number(cursor)
    const reader = facts.open(wallet, after)
    let owed: Promise<void>[] = []
    let events = 0
    for (let looked = 0; looked < FACTS_PER_REQUEST; looked++) {
      const stored = await reader.next()
      if (!stored || stored.storedAt > addMs(to, TELLING_MOST_MS)) {
        await Promise.all(owed)
        return { events, cursor: null }
      }
      if (!isWanted(stored.fact, webhook) || !isWithin(stored.fact, from, to)) continue
      events++
      owed.push(replay.again(eventOf(stored.fact, webhook)))
      if (owed.length === OWED_AT_ONCE) {
        await Promise.all(owed)
        owed = []
      }
    }
    await Promise.all(owed)
    return { events, cursor: String(reader.position) }
  }
}

const OWED_AT_ONCE = 100

const isWanted = ({ type }: Fact, { events }: WebhookRecord): boolean => events.includes(type)
const isWithin = ({ at }: Fact, from: UnixMs, to: UnixMs): boolean => from <= at && at <= to

const eventOf = (fact: Fact, { apiVersion }: WebhookRecord): ReplayedEvent => ({
  id: fact.id,
  type: fact.type,
  body: envelopeOf(fact, apiVersion),
})

const BAD_RANGE: WebhookRefusal = {
  code: 'invalid_request',
  message: '`from` must be a moment that is not after `to`.',
  param: 'from',
}

const unknownDelivery = (eventId: string): WebhookRefusal => ({
  code: 'delivery_not_found',
  message: `No delivery of the event \`${eventId.slice(0, 64)}\` to this webhook is among those of the last 30 days. Replay the time in which it happened, to have it sent all the same.`,
  param: null,
})

import type { Address } from '../../src/domain/ids.ts'
import { toUnixMs, type UnixMs } from '../../src/domain/time.ts'
import { envelopeOf } from '../../src/messages/envelope.ts'
import type { Fact } from '../../src/messages/fact.ts'
import type { EventType, WebhookRecord } from '../../src/messages/webhook.ts'
import type { DeliveryHistory } from '../../src/ports/delivery-history.ts'
import type { FactReader } from '../../src/ports/fact-reader.ts'

/**
 * What a replay delivers again, once its webhook is active: a request is judged while it is made into a
 * plan, and nothing is owed before.
 */
export type ReplayPlan = (replay: Replay) => Promise<Progress>

/** One replay as it is under way. */
export interface Replay {
  readonly webhook: WebhookRecord
  readonly wallet: Address
  /** Owes one event again. */
  again(event: ReplayedEvent): Promise<void>
}

export interface ReplayedEvent {
  readonly id: string
  readonly type: EventType
  readonly body: string
}

/** How many were owed again, and where to go on. */
interface Progress {
  readonly events: number
  readonly cursor: string | null
}

/** Looked at for one request: who asks waits for it, and goes on with the cursor. */
const FACTS_PER_REQUEST = 1_000
const FAILED_PER_REQUEST = 500
const FAILED_PAGE = 100
const OWED_AT_ONCE = 100
/** What says when a fact happened, and when it was stored, are two clocks: so far the first may be ahead. */
const CLOCKS_APART_MOST_MS = 10 * 60_000

export const replayOne =
  (event: ReplayedEvent): ReplayPlan =>
  async (replay) => {
    await replay.again(event)
    return { events: 1, cursor: null }
  }

/** Deliveries that failed for good. An event that failed twice is delivered once. */
export const replayFailed =
  (history: DeliveryHistory, cursor: string | undefined): ReplayPlan =>
  async ({ wallet, webhook, again }) => {
    const seen = new Set<string>()
    let next: string | null | undefined = cursor
    for (let looked = 0; looked < FAILED_PER_REQUEST; looked += FAILED_PAGE) {
      const wanted = { failedOnly: true, limit: FAILED_PAGE, ...(next ? { cursor: next } : {}) }
      const page = await history.page({ wallet, webhookId: webhook.id }, wanted)
      const owed: Promise<void>[] = []
      for (const { eventId: id, eventType: type, body } of page.deliveries) {
        if (seen.has(id)) continue
        seen.add(id)
        owed.push(again({ id, type, body }))
      }
      await Promise.all(owed)
      next = page.cursor
      if (next === null) break
    }
    return { events: seen.size, cursor: next ?? null }
  }

/**
 * What happened in a span of time and the webhook listens to, whether it was ever sent or not. Facts lie in the
 * order in which they were told, and that may be long after: a top-up has the time of its block, and whoever reads
 * the chain may have been down for hours. So it is looked through to the end.
 */
export const replayRange =
  (
    facts: FactReader,
    { from, to }: { readonly from: UnixMs; readonly to: UnixMs },
    cursor: string | undefined,
  ): ReplayPlan =>
  async ({ wallet, webhook, again }) => {
    const after =
      cursor === undefined
        ? (await facts.since(toUnixMs(Math.max(0, from - CLOCKS_APART_MOST_MS)))) - 1
        : Number(cursor)
    const reader = facts.open(wallet, after)
    let owed: Promise<void>[] = []
    let events = 0
    for (let looked = 0; looked < FACTS_PER_REQUEST; looked++) {
      const stored = await reader.next()
      if (!stored) {
        await Promise.all(owed)
        return { events, cursor: null }
      }
      if (!isWanted(stored.fact, webhook) || !isWithin(stored.fact, from, to)) continue
      events++
      owed.push(again(eventOf(stored.fact, webhook)))
      if (owed.length === OWED_AT_ONCE) {
        await Promise.all(owed)
        owed = []
      }
    }
    await Promise.all(owed)
    return { events, cursor: String(reader.position) }
  }

const isWanted = ({ type }: Fact, { events }: WebhookRecord): boolean => events.includes(type)
const isWithin = ({ at }: Fact, from: UnixMs, to: UnixMs): boolean => from <= at && at <= to

const eventOf = (fact: Fact, { apiVersion }: WebhookRecord): ReplayedEvent => ({
  id: fact.id,
  type: fact.type,
  body: envelopeOf(fact, apiVersion),
})

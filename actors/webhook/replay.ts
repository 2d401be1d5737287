import { err, ok, type Result, unreachable } from '../../src/domain/result.ts'
import { isSampleEvent } from '../../src/domain/sample-event.ts'
import type {
  Delivery,
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
import {
  type Replay,
  type ReplayPlan,
  replayFailed,
  replayOne,
  replayRange,
} from './replay-plans.ts'
import { makeReplayTurns, type ReplayRoom } from './replay-room.ts'
import { refused } from './requests.ts'
import { activate } from './wallet-webhooks.ts'

interface Options {
  readonly records: WebhookRecords
  readonly history: DeliveryHistory
  readonly facts: FactReader
  owe(delivery: Delivery): Promise<void>
  readonly room: ReplayRoom
  readonly clock: Clock
}

/** Delivers again what has failed, or what was never sent. A repeated request is one more replay. */
export function makeReplay(options: Options) {
  const { records, history, facts, owe, room, clock } = options
  const inTurn = makeReplayTurns()

  return async (request: ReplayDeliveries, webhook: WebhookRecord): Promise<WebhookReply> => {
    const { webhookId, which } = request
    const plan = await planOf(request)
    if (!plan.ok) return refused(plan.error)
    const replay = () => carryOut(plan.value, request, webhook)
    return which.type === 'one' ? replay() : inTurn(webhookId, replay)
  }

  async function carryOut(
    plan: ReplayPlan,
    { wallet, webhookId }: ReplayDeliveries,
    webhook: WebhookRecord,
  ): Promise<WebhookReply> {
    const full = await room(webhookId)
    if (full) return refused(full)
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
    return { type: 'replayed', ...(await plan(replay)) }
  }

  async function planOf(request: ReplayDeliveries): Promise<Result<ReplayPlan, WebhookRefusal>> {
    const { which, cursor } = request
    if (cursor !== undefined && !isCursor(cursor)) return err(BAD_CURSOR)
    switch (which.type) {
      case 'one': {
        const view = await history.find(request, which.eventId, which.position)
        if (!view) return err(unknownDelivery(which.eventId))
        // Made up: as a replay it would be tried five times, and its failure would fail the webhook.
        if (isSampleEvent(view.eventId)) return err(NO_REPLAY_OF_TESTS)
        return ok(replayOne({ id: view.eventId, type: view.eventType, body: view.body }))
      }
      case 'failed':
        return ok(replayFailed(history, cursor))
      case 'range':
        if (!(which.from <= which.to)) return err(BAD_RANGE)
        return ok(replayRange(facts, which, cursor))
      default:
        return unreachable(which)
    }
  }
}

const NO_REPLAY_OF_TESTS: WebhookRefusal = {
  code: 'invalid_request',
  message: 'A test event is sent once and is not replayed. Send another one.',
  param: 'event_id',
}

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

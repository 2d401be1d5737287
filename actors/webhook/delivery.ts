import type { ServiceNames } from '../../src/domain/service-names.ts'
import { type DurationMs, toUnixMs, type UnixMs } from '../../src/domain/time.ts'
import { signatureHeaders } from '../../src/domain/webhook-signature.ts'
import type { Delivery, WalletWebhooks, WebhookRecord } from '../../src/messages/webhook.ts'
import { type Clock, pause } from '../../src/ports/clock.ts'
import type { DeliveryHistory } from '../../src/ports/delivery-history.ts'
import type { Mirror } from '../../src/ports/mirror.ts'
import type { WebhookQueues } from '../../src/ports/webhook-queues.ts'
import type { WebhookAnswer, WebhookSender } from '../../src/ports/webhook-sender.ts'
import type { Taking, Work } from '../../src/ports/work-queue.ts'
import type { Log } from '../../src/telemetry/log.ts'
import {
  attemptOf,
  deliveryKey,
  isLastFailure,
  nextOf,
  notTried,
  type RetrySchedule,
  waitFor,
} from './after-attempt.ts'
import { makeKnownWebhook, takes } from './known-webhook.ts'
import { makeLanes } from './lanes.ts'
import type { WebhookRecords } from './records.ts'
import type { Secrets } from './secrets.ts'
import { movedKey } from './waiting-lines.ts'

export interface DeliveryOptions {
  readonly queues: WebhookQueues
  /** Bucket WEBHOOKS. */
  readonly webhooks: Mirror<WalletWebhooks>
  readonly records: WebhookRecords
  readonly secrets: Secrets
  readonly sender: WebhookSender
  readonly history: DeliveryHistory
  readonly schedule: RetrySchedule
  readonly names: ServiceNames
  readonly clock: Clock
  readonly log: Log
}

type Owed = Work<Delivery>

const HELD_MOST = 4_000
const RETRY_MS = 1_000
/** An operator has to put a key back. */
const NO_SECRET_RETRY_MS = 60_000
const PUT_BACK_LEAST_MS = 5_000
/** An endpoint that hung is not forgotten for longer than this once it answers again. */
const PUT_BACK_MOST_MS = 300_000
/** Longer than any attempt. */
const STOP_MS = 12_000
const LOOK_MS = 20

/** Makes the attempts that are due: some at a time for each webhook, so that none waits for another's. */
export function makeDelivery(options: DeliveryOptions): {
  start(): Promise<void>
  stop(): Promise<void>
} {
  const { queues, records, secrets, sender, history, schedule, names, clock, log } = options
  const knownWebhook = makeKnownWebhook(options)
  let taking: Taking | undefined
  /** Handed over, and in no lane yet. */
  let arriving = 0
  const lanes = makeLanes<Owed>({ run: (_, work) => attempt(work) })

  const each = (work: Owed): void => {
    arriving++
    arrive(work)
      .catch((error) => {
        log.warn({ err: error }, 'webhooks: a delivery is put off')
        work.later(RETRY_MS)
      })
      .finally(() => {
        arriving--
      })
  }

  const arrive = async (work: Owed): Promise<void> => {
    const { body } = work
    const early = body.dueAt - clock.now()
    const wait = waitFor(early)
    if (wait > 0) return move(work, early)
    if (early > 0) await pause(clock, early)
    const webhook = await knownWebhook(body)
    // Deleted: what was owed to it is gone with it.
    if (!webhook) return work.done()
    if (!takes(webhook, body)) return giveUp(work)
    if (lanes.push(webhook.id, work)) return
    const patience = lanes.patienceMs(webhook.id)
    await move(work, Math.min(PUT_BACK_MOST_MS, Math.max(PUT_BACK_LEAST_MS, patience)))
  }

  const move = async ({ body, sequence, done }: Owed, span: DurationMs): Promise<void> => {
    await queues.put(body, movedKey(body, sequence), waitFor(span))
    done()
  }

  const giveUp = async (work: Owed): Promise<void> => {
    const now = clock.now()
    await history.append(attemptOf(work.body, notTried, { at: now, endedAt: now, schedule: [] }))
    work.done()
  }

  /** Never rejects. @returns how long the endpoint took */
  const attempt = async (work: Owed): Promise<DurationMs> => {
    const { body } = work
    const webhook = await knownWebhook(body).catch((error: unknown) => {
      log.warn({ err: error }, 'webhooks: a delivery is put off')
      return 'unknown' as const
    })
    if (webhook === 'unknown') {
      work.later(RETRY_MS)
      return 0
    }
    if (!webhook) {
      work.done()
      return 0
    }
    const secret = secretOf(webhook)
    if (secret === undefined) {
      work.later(NO_SECRET_RETRY_MS)
      return 0
    }
    const at = clock.now()
    const signed = { eventId: body.eventId, at, body: body.body, secret }
    const headers = signatureHeaders(signed, names)
    const answer = await sender.send({ url: webhook.url, headers, body: body.body })
    try {
      await conclude(body, answer, at)
      work.done()
    } catch (error) {
      log.warn({ err: error, eventId: body.eventId }, 'webhooks: an attempt is made once more')
      work.later(RETRY_MS)
    }
    return answer.latencyMs
  }

  /** In this order: a crash in between repeats the attempt, and loses neither it nor its number. */
  const conclude = async (delivery: Delivery, answer: WebhookAnswer, at: UnixMs) => {
    const times = { at, endedAt: clock.now(), schedule }
    const made = attemptOf(delivery, answer, times)
    const kept = await untilStored(() => history.append(made))
    const next = nextOf(delivery, made, kept)
    if (next) {
      const span = next.dueAt - clock.now()
      await untilStored(() => queues.put(next, deliveryKey(next), waitFor(span)))
    }
    if (isLastFailure(made)) {
      const { wallet, webhookId, since, round } = delivery
      await untilStored(() => records.fail(wallet, webhookId, since ?? toUnixMs(round)))
      log.info({ wallet, webhookId }, 'webhooks: one has failed, no more is sent to it')
    }
  }

  /** The attempt was made: its endpoint should not pay for a store that is away for a moment. */
  const untilStored = async <T>(store: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await store()
      } catch (error) {
        if (tries === STORE_TRIES) throw error
        await pause(clock, RETRY_MS)
      }
    }
  }

  const secretOf = (webhook: WebhookRecord): string | undefined => {
    try {
      return secrets.open(webhook)
    } catch (error) {
      log.error(
        { err: error, webhookId: webhook.id },
        'webhooks: nothing can be signed for this one',
      )
      return undefined
    }
  }

  return {
    start: async () => {
      taking = queues.due.take({ room: () => HELD_MOST - lanes.held - arriving, each })
    },
    stop: async () => {
      await taking?.stop()
      for (const work of lanes.stop()) work.later(0)
      const deadline = clock.monotonic() + STOP_MS
      while (lanes.held > 0 && clock.monotonic() < deadline) await pause(clock, LOOK_MS)
    },
  }
}

const STORE_TRIES = 20

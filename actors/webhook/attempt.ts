import type { ServiceNames } from '../../src/domain/service-names.ts'
import { type DurationMs, toUnixMs, type UnixMs } from '../../src/domain/time.ts'
import { signatureHeaders } from '../../src/domain/webhook-signature.ts'
import type { Delivery, WebhookRecord } from '../../src/messages/webhook.ts'
import { type Clock, pause } from '../../src/ports/clock.ts'
import type { DeliveryHistory } from '../../src/ports/delivery-history.ts'
import type { WebhookQueues } from '../../src/ports/webhook-queues.ts'
import type { WebhookAnswer, WebhookSender } from '../../src/ports/webhook-sender.ts'
import type { Work } from '../../src/ports/work-queue.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { Seldom } from '../../src/telemetry/seldom.ts'
import {
  attemptOf,
  deliveryKey,
  isLastFailure,
  nextOf,
  type RetrySchedule,
  waitFor,
} from './after-attempt.ts'
import type { WebhookRecords } from './records.ts'
import type { Secrets } from './secrets.ts'
import { putFor } from './waiting-lines.ts'

export interface AttemptOptions {
  readonly queues: WebhookQueues
  readonly records: WebhookRecords
  readonly secrets: Secrets
  readonly sender: WebhookSender
  readonly history: DeliveryHistory
  readonly schedule: RetrySchedule
  readonly names: ServiceNames
  readonly clock: Clock
  readonly log: Log
}

export type Owed = Work<Delivery>

/** @returns undefined where nobody takes it any more: `work` has been told */
export type TakerOf = (work: Owed) => Promise<WebhookRecord | undefined>

export const RETRY_MS = 1_000
/** An operator has to put a key back. */
const NO_SECRET_WAIT_MS = 300_000
const STORE_TRIES = 20
/**
 * What it takes to keep an attempt has passed of the wait for the next one. To the moment it would be in time only by
 * all the lines of shorter waits, stored anew ten times for half a minute.
 */
const KEEPING_MS = 1_000

/** Signs what is owed, sends it once, and keeps what came of it. */
export function makeAttempt(options: AttemptOptions, takerOf: TakerOf) {
  const { queues, secrets, sender, names, clock, log } = options
  const seldom = new Seldom(clock, log)
  const conclude = makeConclude(options)

  /** @returns undefined where there is nothing to send, for now or for ever: `work` has been told which */
  const recipientOf = async (work: Owed) => {
    let webhook: WebhookRecord | undefined
    try {
      // While it waited in its lane the webhook may have failed, or have been deleted.
      webhook = await takerOf(work)
    } catch (error) {
      seldom.warn({ err: error }, 'webhooks: a delivery is put off')
      work.later(RETRY_MS)
      return undefined
    }
    if (!webhook) return undefined
    const secret = secretOf(webhook)
    if (secret !== undefined) return { url: webhook.url, secret }
    await putAside(work)
    return undefined
  }

  /** Into a line: whatever is only put off is held, and a lost key would in the end hold up everybody. */
  const putAside = async (work: Owed): Promise<void> => {
    try {
      await putFor(queues, work, NO_SECRET_WAIT_MS)
      work.done()
    } catch (error) {
      seldom.warn({ err: error }, 'webhooks: a delivery is put off')
      work.later(RETRY_MS)
    }
  }

  const secretOf = (webhook: WebhookRecord): string | undefined => {
    try {
      return secrets.open(webhook)
    } catch (error) {
      const about = { err: error, webhookId: webhook.id }
      log.error(about, 'webhooks: nothing can be signed for this one')
      return undefined
    }
  }

  /** Never rejects. @returns how long the endpoint took */
  return async (work: Owed): Promise<DurationMs> => {
    const recipient = await recipientOf(work)
    if (!recipient) return 0
    const { url, secret } = recipient
    const { body } = work
    const at = clock.now()
    const signed = { eventId: body.eventId, at, body: body.body, secret }
    const headers = signatureHeaders(signed, names)
    const answer = await sender.send({ url, headers, body: body.body })
    try {
      await conclude(body, answer, at)
      work.done()
    } catch (error) {
      seldom.warn({ err: error, eventId: body.eventId }, 'webhooks: an attempt is made once more')
      work.later(RETRY_MS)
    }
    return answer.latencyMs
  }
}

function makeConclude({ queues, records, history, schedule, clock, log }: AttemptOptions) {
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

  /** In this order: a crash in between repeats the attempt, and loses neither it nor its number. */
  return async (delivery: Delivery, answer: WebhookAnswer, at: UnixMs): Promise<void> => {
    const times = { at, endedAt: clock.now(), schedule }
    const made = attemptOf(delivery, answer, times)
    const kept = await untilStored(() => history.append(made))
    const next = nextOf(delivery, made, kept)
    if (next) {
      const wait = next.dueAt - times.endedAt
      const span = Math.min(wait, next.dueAt - clock.now() + KEEPING_MS)
      await untilStored(() => queues.put(next, deliveryKey(next), waitFor(span)))
    }
    if (isLastFailure(made)) {
      const { wallet, webhookId, since, round } = delivery
      const owedSince = since ?? toUnixMs(round)
      const hasFailed = await untilStored(() => records.fail(wallet, webhookId, owedSince))
      if (hasFailed)
        log.info({ wallet, webhookId }, 'webhooks: one has failed, no more is sent to it')
    }
  }
}

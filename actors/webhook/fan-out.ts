import type { Address } from '../../src/domain/ids.ts'
import { addMs, type UnixMs } from '../../src/domain/time.ts'
import { envelopeOf } from '../../src/messages/envelope.ts'
import type { Fact } from '../../src/messages/fact.ts'
import type { Delivery, WalletWebhooks, WebhookRecord } from '../../src/messages/webhook.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Mirror } from '../../src/ports/mirror.ts'
import type { WebhookQueues } from '../../src/ports/webhook-queues.ts'
import type { Taking, Work } from '../../src/ports/work-queue.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { Seldom } from '../../src/telemetry/seldom.ts'
import { deliveryKey, type RetrySchedule, waitFor } from './after-attempt.ts'
import type { WebhookRecords } from './records.ts'
import { NO_WEBHOOKS } from './wallet-webhooks.ts'

interface Options {
  readonly queues: WebhookQueues
  /** Bucket WEBHOOKS. */
  readonly webhooks: Mirror<WalletWebhooks>
  readonly records: WebhookRecords
  readonly schedule: RetrySchedule
  readonly clock: Clock
  readonly log: Log
}

const AT_ONCE = 256
const RETRY_MS = 1_000

/** Makes of each fact one delivery for each webhook that wants it. */
export function makeFanOut({ queues, webhooks, records, schedule, clock, log }: Options): {
  start(): Promise<void>
  stop(): Promise<void>
} {
  const seldom = new Seldom(clock, log)
  let taking: Taking | undefined
  let active = 0

  /** The first one of a wallet may have been made, or a failed one enabled, a moment ago, and the mirror lags behind. */
  const webhooksOf = async (wallet: Address): Promise<WalletWebhooks> => {
    const mirrored = webhooks.get(wallet) ?? NO_WEBHOOKS
    const isSure = mirrored.webhooks.length > 0 && mirrored.webhooks.every(isActive)
    return isSure ? mirrored : records.of(wallet)
  }

  const share = async ({ body: fact }: Work<Fact>): Promise<void> => {
    await webhooks.untilWhole()
    const first = schedule[0] ?? 0
    const wallets =
      'wallet' in fact
        ? [[fact.wallet, await webhooksOf(fact.wallet)] as const]
        : webhooks.entries()
    const now = clock.now()
    const owed = deliveriesOf(fact, wanting(fact, wallets), now, addMs(now, first))
    await Promise.all(
      owed.map((delivery) => queues.put(delivery, deliveryKey(delivery), waitFor(first))),
    )
  }
  const each = (work: Work<Fact>): void => {
    active++
    share(work)
      // Only now: what was put before a crash is put again, and is there once.
      .then(work.done, (error) => {
        seldom.warn(
          { err: error, eventId: work.body.id },
          'webhooks: a fact waits to be shared out',
        )
        work.later(RETRY_MS)
      })
      .finally(() => {
        active--
      })
  }

  return {
    start: async () => {
      taking = queues.facts.take({ room: () => AT_ONCE - active, each })
    },
    stop: async () => taking?.stop(),
  }
}

const isActive = ({ status }: WebhookRecord): boolean => status === 'active'

interface Recipient {
  readonly wallet: Address
  readonly webhook: WebhookRecord
}

/** `job.*` and `credit.*` are the wallet's own affair; `worker.*` is told to all who ask for it. */
function wanting(
  fact: Fact,
  wallets: Iterable<readonly [wallet: string, record: WalletWebhooks]>,
): readonly Recipient[] {
  const found: Recipient[] = []
  for (const [wallet, { webhooks }] of wallets) {
    for (const webhook of webhooks) {
      // What one misses that has failed can be replayed, from the facts.
      const isWanted = isActive(webhook) && webhook.events.includes(fact.type)
      if (isWanted) found.push({ wallet: wallet as Address, webhook })
    }
  }
  return found
}

function deliveriesOf(
  fact: Fact,
  recipients: readonly Recipient[],
  since: UnixMs,
  dueAt: UnixMs,
): readonly Delivery[] {
  return recipients.map(({ wallet, webhook }) => ({
    wallet,
    webhookId: webhook.id,
    eventId: fact.id,
    eventType: fact.type,
    body: envelopeOf(fact, webhook.apiVersion),
    attempt: 1,
    dueAt,
    cause: 'event',
    round: 0,
    earlier: [],
    since,
  }))
}

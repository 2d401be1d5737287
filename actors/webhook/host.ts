import type { SealingKeys } from '../../src/domain/sealed.ts'
import type { ServiceNames } from '../../src/domain/service-names.ts'
import type { WalletWebhooks } from '../../src/messages/webhook.ts'
import type { Bus } from '../../src/ports/bus.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { DeliveryHistory } from '../../src/ports/delivery-history.ts'
import type { FactReader } from '../../src/ports/fact-reader.ts'
import type { Mirror } from '../../src/ports/mirror.ts'
import type { Registry } from '../../src/ports/registry.ts'
import type { WebhookQueues } from '../../src/ports/webhook-queues.ts'
import type { WebhookSender, WebhookTargets } from '../../src/ports/webhook-sender.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { deliveryKey, type RetrySchedule } from './after-attempt.ts'
import { makeDelivery } from './delivery.ts'
import { makeFanOut } from './fan-out.ts'
import { historyRequests } from './history-requests.ts'
import { makeWebhookRecords } from './records.ts'
import { replayRoom } from './replay-room.ts'
import { webhookRequests } from './requests.ts'
import { makeSecrets } from './secrets.ts'
import { makeWebhookService } from './service.ts'
import { makeWaitingLines } from './waiting-lines.ts'

export interface WebhookHostOptions {
  readonly keys: SealingKeys
  /** Bucket WEBHOOKS. */
  readonly webhooks: Registry
  readonly mirror: Mirror<WalletWebhooks>
  readonly queues: WebhookQueues
  readonly history: DeliveryHistory
  readonly facts: FactReader
  readonly sender: WebhookSender
  readonly schedule: RetrySchedule
  readonly names: ServiceNames
  readonly targets: WebhookTargets
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
}

interface Part {
  start(): Promise<void>
  stop(): Promise<void>
}

/** All that a host does for webhooks. It runs in any number of hosts, which share the work out. */
export function makeWebhookHost(options: WebhookHostOptions): Part {
  const records = makeWebhookRecords(options.webhooks)
  const secrets = makeSecrets(options.keys, options.clock)
  const delivering = { ...options, webhooks: options.mirror, records }
  const parts: readonly Part[] = [
    makeDelivery({ ...delivering, secrets }),
    makeWaitingLines(options),
    makeFanOut(delivering),
    makeWebhookService({
      ...options,
      handlers: {
        ...webhookRequests({ ...options, records, secrets }),
        ...historyRequests({
          ...options,
          records,
          owe: (delivery) => options.queues.put(delivery, deliveryKey(delivery), 0),
          room: replayRoom(options.queues),
        }),
      },
    }),
  ]
  return {
    start: async () => {
      for (const part of parts) await part.start()
    },
    stop: async () => {
      for (const part of [...parts].reverse()) await part.stop()
    },
  }
}

import type { RetrySchedule } from '../../../actors/webhook/after-attempt.ts'
import { makeWebhookHost } from '../../../actors/webhook/host.ts'
import { makeSecrets } from '../../../actors/webhook/secrets.ts'
import { connectNats } from '../../../src/bus/connect.ts'
import type { Address } from '../../../src/domain/ids.ts'
import {
  API_VERSION,
  type EventType,
  type WalletWebhooks,
  type WebhookRecord,
} from '../../../src/messages/webhook.ts'
import { openOutbound } from '../../../src/outbound/connect.ts'
import type { Registry } from '../../../src/ports/registry.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import type { Log } from '../../../src/telemetry/log.ts'
import { defaultNames } from '../default-names.ts'

/** For tests alone. */
const SEALING_KEYS = [Buffer.alloc(32, 7)]
export const SECRET = 'a secret of the tests'

interface Options {
  readonly natsUrl: string
  readonly schedule: RetrySchedule
  readonly log: Log
}

/** What an actor host runs of webhooks, on a real NATS and with the real way out. */
export async function startDeliverer({ natsUrl, schedule, log }: Options) {
  const nats = await connectNats({ servers: natsUrl, name: 'webhooks', log })
  const mirror = await nats.mirror('WEBHOOKS', (value) => value as WalletWebhooks)
  const { targets, sender } = openOutbound({ clock: systemClock, devTargets: true })
  const host = makeWebhookHost({
    ...{ keys: SEALING_KEYS, mirror, targets, sender, schedule, names: defaultNames, log },
    webhooks: await nats.registry('WEBHOOKS'),
    queues: await nats.webhookQueues(),
    history: await nats.deliveryHistory(),
    facts: await nats.factReader(),
    bus: nats.bus,
    clock: systemClock,
  })
  await host.start()
  return {
    stop: async () => {
      await host.stop()
      mirror.stop()
      await sender.close()
      await nats.close()
    },
  }
}

export function webhookRecord(
  id: string,
  url: string,
  events: readonly EventType[],
): WebhookRecord {
  return {
    ...{ id, url, events, createdAt: systemClock.now(), apiVersion: API_VERSION, status: 'active' },
    sealedSecret: makeSecrets(SEALING_KEYS, systemClock).seal(id, SECRET),
  }
}

export const webhookId = (number: number): string => `wh_${String(number).padStart(24, '0')}`

/** Writes the webhooks of a wallet, whatever was there. */
export const putWebhooks = (
  registry: Registry,
  wallet: Address,
  webhooks: readonly WebhookRecord[],
): Promise<void> => registry.set(wallet, { webhooks } satisfies WalletWebhooks)

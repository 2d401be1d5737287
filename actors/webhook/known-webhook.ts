import type { Delivery, WalletWebhooks, WebhookRecord } from '../../src/messages/webhook.ts'
import type { Mirror } from '../../src/ports/mirror.ts'
import type { WebhookRecords } from './records.ts'
import { find, NO_WEBHOOKS } from './wallet-webhooks.ts'

interface Options {
  /** Bucket WEBHOOKS. */
  readonly webhooks: Mirror<WalletWebhooks>
  readonly records: WebhookRecords
}

export type KnownWebhook = (delivery: Delivery) => Promise<WebhookRecord | undefined>

/**
 * Finds the webhook that a delivery is owed to; undefined: there is none any more. The mirror may lag behind
 * one that was made, enabled or replayed a moment ago, so before a delivery is given up the record is asked.
 */
export function makeKnownWebhook({ webhooks, records }: Options): KnownWebhook {
  return async (delivery) => {
    await webhooks.untilWhole()
    const { wallet, webhookId } = delivery
    const mirrored = find(webhooks.get(wallet) ?? NO_WEBHOOKS, webhookId)
    if (mirrored && takes(mirrored, delivery)) return mirrored
    return find(await records.of(wallet), webhookId)
  }
}

/** One that has failed is sent nothing but tests. */
export const takes = ({ status }: WebhookRecord, { cause }: Delivery): boolean =>
  status === 'active' || cause === 'test'

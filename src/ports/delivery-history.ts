import type { Address } from '../domain/ids.ts'
import type { Attempt, DeliveryView } from '../messages/webhook.ts'

/** What became of the deliveries of each webhook: the attempts of 30 days. */
export interface DeliveryHistory {
  /**
   * Resolves once the attempt is stored. The same attempt again is one more.
   * @returns where it is kept: what `earlier` of the delivery's next attempt ends with
   * @throws it may or may not be stored: make the attempt again
   */
  append(attempt: Attempt): Promise<number>
  /** Newest first, by the first attempt; with `failedOnly` by the last one. */
  page(webhook: WebhookKey, wanted: HistoryPage): Promise<DeliveriesFound>
  /**
   * The delivery at this position; without one, the newest of this event among the last 5 000.
   * @returns undefined where there is none
   */
  find(webhook: WebhookKey, eventId: string, position?: string): Promise<DeliveryView | undefined>
}

export interface WebhookKey {
  readonly wallet: Address
  readonly webhookId: string
}

export interface HistoryPage {
  /** Only those that failed for good, and whose event no replay has delivered since. */
  readonly failedOnly: boolean
  /** From 1. */
  readonly limit: number
  readonly cursor?: string
}

export interface DeliveriesFound {
  /** Perhaps fewer than the limit, though there are more. */
  readonly deliveries: readonly DeliveryView[]
  /** Null: there are no more. */
  readonly cursor: string | null
}

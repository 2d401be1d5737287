import type { Address } from '../../domain/ids.ts'
import type { WalletWebhooks } from '../../messages/webhook.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventInterest } from '../../ports/event-interest.ts'
import type { Mirror } from '../../ports/mirror.ts'

interface Options {
  /** Bucket WEBHOOKS. */
  readonly webhooks: Mirror<WalletWebhooks>
  /** Bucket LISTENERS, by wallet: when it was last said that somebody listens. */
  readonly listeners: Mirror<number>
  readonly clock: Clock
}

/** Longer than a listener's entry lives in its bucket: its end is told to nobody. */
const LISTENER_AGE_MS = 90_000

export function makeEventInterest({ webhooks, listeners, clock }: Options): EventInterest {
  const isListenedTo = (wallet: Address): boolean => {
    const heardAt = listeners.get(wallet)
    return heardAt !== undefined && clock.monotonic() - heardAt < LISTENER_AGE_MS
  }
  return {
    of: (wallet) =>
      !webhooks.whole ||
      !listeners.whole ||
      (webhooks.get(wallet)?.webhooks.length ?? 0) > 0 ||
      isListenedTo(wallet),
    stop: () => {
      webhooks.stop()
      listeners.stop()
    },
  }
}

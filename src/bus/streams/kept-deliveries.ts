import { SUBJECTS } from '../../messages/subjects.ts'
import type { Attempt, DeliveryView } from '../../messages/webhook.ts'
import type { WebhookKey } from '../../ports/delivery-history.ts'
import type { Chains } from './attempt-chain.ts'
import { type KeptAttempt, viewOf } from './delivery-view.ts'
import type { FailedDelivery } from './keep-attempt.ts'

/** Whole deliveries, put together from the one attempt that they were found by. */
export class KeptDeliveries {
  readonly #chains: Chains

  constructor(chains: Chains) {
    this.#chains = chains
  }

  async fromFirst(first: KeptAttempt): Promise<DeliveryView> {
    const { wallet, webhookId, nextAt } = first.content
    if (nextAt === null) return viewOf([first])
    const subject = SUBJECTS.laterAttempts(wallet, webhookId, first.sequence)
    const last = await this.#chains.last<Attempt>(subject)
    return viewOf(last ? await this.#withEarlier(last) : [first])
  }

  /** @returns undefined where it has aged out, or was delivered by a replay since */
  async fromFailed(
    { wallet, webhookId }: WebhookKey,
    { sequence, subject, eventId }: FailedDelivery,
  ): Promise<DeliveryView | undefined> {
    const [last, redelivered] = await Promise.all([
      this.#chains.at<Attempt>(sequence, subject),
      this.#chains.newest(SUBJECTS.redelivered(wallet, webhookId, eventId)),
    ])
    return last && redelivered < sequence ? viewOf(await this.#withEarlier(last)) : undefined
  }

  /** All attempts of the delivery whose last one this is. */
  async #withEarlier(last: KeptAttempt): Promise<KeptAttempt[]> {
    const { wallet, webhookId, earlier } = last.content
    const first = SUBJECTS.firstAttempts(wallet, webhookId)
    const before = await Promise.all(
      earlier.map((sequence) => this.#chains.at<Attempt>(sequence, first, last.subject)),
    )
    return [...before.filter((each) => each !== undefined), last]
  }
}

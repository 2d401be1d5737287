import { SUBJECTS } from '../../messages/subjects.ts'
import type { Attempt, DeliveryView } from '../../messages/webhook.ts'
import type {
  DeliveriesFound,
  DeliveryHistory,
  HistoryPage,
  WebhookKey,
} from '../../ports/delivery-history.ts'
import { Chains, type Linked, type Walked } from './attempt-chain.ts'
import type { KeptAttempt } from './delivery-view.ts'
import { type FailedDelivery, keepAttempt } from './keep-attempt.ts'
import { KeptDeliveries } from './kept-deliveries.ts'
import type { StreamReader } from './read-stream.ts'

/** Of a list of failed ones, so many are looked at for each that is asked for. */
const LOOKED_AT_PER_WANTED = 5
const SEARCHED_MOST = 5_000

/**
 * Stream ATTEMPT. First attempts of a webhook form one chain, failed deliveries another; the attempts
 * after the first have a subject for each delivery that needed them. So a page is a count of single
 * reads, bounded by its size and not by how much there is.
 */
export function makeDeliveryHistory({ stream, js, jsm }: StreamReader): DeliveryHistory {
  const chains = new Chains({ stream, js, jsm })
  const kept = new KeptDeliveries(chains)

  const all = async (webhook: WebhookKey, { limit, cursor }: HistoryPage) => {
    const subject = SUBJECTS.firstAttempts(webhook.wallet, webhook.webhookId)
    const walked = await chains.walk<Attempt & Linked>(subject, cursor, limit)
    // An attempt that was made again after a crash is one more message.
    const firsts = new Map<string, KeptAttempt[]>()
    for (const link of walked.links) {
      const { eventId, round } = link.content
      const delivery = `${eventId} ${round}`
      firsts.set(delivery, [...(firsts.get(delivery) ?? []), link])
    }
    const deliveries = await Promise.all([...firsts.values()].map(furthest))
    return { deliveries, cursor: walked.cursor }
  }

  /** Of the same attempt, newest first: the newest went on, or, where the next one was owed by then, one before it. */
  const furthest = async (same: readonly KeptAttempt[]): Promise<DeliveryView> => {
    const views = await Promise.all(same.map((first) => kept.fromFirst(first)))
    return views.reduce((most, view) => (view.attempts.length > most.attempts.length ? view : most))
  }

  const failed = async (
    webhook: WebhookKey,
    { limit, cursor }: HistoryPage,
  ): Promise<DeliveriesFound> => {
    const subject = SUBJECTS.failedDeliveries(webhook.wallet, webhook.webhookId)
    const deliveries: DeliveryView[] = []
    let next: string | null | undefined = cursor
    for (let looked = 0; looked < LOOKED_AT_PER_WANTED && deliveries.length < limit; looked++) {
      const most = limit - deliveries.length
      const walked: Walked<FailedDelivery> = await chains.walk(subject, next ?? undefined, most)
      const views = await Promise.all(
        walked.links.map(({ content }) => kept.fromFailed(webhook, content)),
      )
      deliveries.push(...views.filter((view) => view !== undefined))
      next = walked.cursor
      if (next === null) break
    }
    return { deliveries, cursor: next ?? null }
  }

  return {
    append: (attempt) => keepAttempt({ chains, js }, attempt),
    page: (webhook, wanted) => (wanted.failedOnly ? failed : all)(webhook, wanted),
    find: async ({ wallet, webhookId }, eventId, position) => {
      const subject = SUBJECTS.firstAttempts(wallet, webhookId)
      let link = await chains.from<Attempt & Linked>(subject, position)
      for (let looked = 0; link && looked < SEARCHED_MOST; looked++) {
        if (link.content.eventId === eventId) return kept.fromFirst(link)
        if (position !== undefined) return undefined
        link = await chains.at(link.content.previous, subject)
      }
      return undefined
    },
  }
}

import { SUBJECTS } from '../messages/subjects.ts'
import type { Attempt, DeliveryView } from '../messages/webhook.ts'
import type {
  DeliveriesFound,
  DeliveryHistory,
  HistoryPage,
  WebhookKey,
} from '../ports/delivery-history.ts'
import { Chains, type Kept, type Linked } from './attempt-chain.ts'
import { encode } from './codec.ts'
import { type KeptAttempt, viewOf } from './delivery-view.ts'
import type { StreamReader } from './read-stream.ts'

/** A chain: the deliveries that failed for good, by their last attempts. */
interface FailedDelivery extends Linked {
  readonly eventId: string
  /** Where its last attempt is. */
  readonly sequence: number
  readonly subject: string
}

interface Walked<T> {
  readonly links: readonly Kept<T>[]
  readonly cursor: string | null
}

const PUBLISH_TIMEOUT_MS = 2_000
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

  const keep = async (subject: string, attempt: Attempt): Promise<number> => {
    if (attempt.earlier.length === 0) return chains.append(subject, attempt)
    const { seq } = await js.publish(subject, encode(attempt), { timeout: PUBLISH_TIMEOUT_MS })
    return seq
  }

  /** All attempts of the delivery whose last one this is. */
  const withEarlier = async (last: KeptAttempt): Promise<KeptAttempt[]> => {
    const { wallet, webhookId, earlier } = last.content
    const first = SUBJECTS.firstAttempts(wallet, webhookId)
    const before = await Promise.all(
      earlier.map((sequence) => chains.at<Attempt>(sequence, first, last.subject)),
    )
    return [...before.filter((each) => each !== undefined), last]
  }

  const fromFirst = async (first: KeptAttempt): Promise<DeliveryView> => {
    const { wallet, webhookId, nextAt } = first.content
    if (nextAt === null) return viewOf([first])
    const subject = SUBJECTS.laterAttempts(wallet, webhookId, first.sequence)
    const last = await chains.last<Attempt>(subject)
    return viewOf(last ? await withEarlier(last) : [first])
  }

  const fromFailed = async (
    webhook: WebhookKey,
    { sequence, subject, eventId }: FailedDelivery,
  ): Promise<DeliveryView | undefined> => {
    const { wallet, webhookId } = webhook
    const [last, redelivered] = await Promise.all([
      chains.at<Attempt>(sequence, subject),
      chains.newest(SUBJECTS.redelivered(wallet, webhookId, eventId)),
    ])
    return last && redelivered < sequence ? viewOf(await withEarlier(last)) : undefined
  }

  /** @returns the links from the cursor on, newest first, and where to go on */
  const walk = async <T extends Linked>(
    subject: string,
    cursor: string | undefined,
    most: number,
  ): Promise<Walked<T>> => {
    const links: Kept<T>[] = []
    let link =
      cursor === undefined
        ? await chains.last<T>(subject)
        : await chains.at<T>(Number(cursor), subject)
    while (link) {
      links.push(link)
      const { previous } = link.content
      if (links.length === most) return { links, cursor: previous === 0 ? null : String(previous) }
      link = await chains.at<T>(previous, subject)
    }
    return { links, cursor: null }
  }

  const all = async (webhook: WebhookKey, { limit, cursor }: HistoryPage) => {
    const subject = SUBJECTS.firstAttempts(webhook.wallet, webhook.webhookId)
    const walked = await walk<Attempt & Linked>(subject, cursor, limit)
    // An attempt that was made again after a crash is one more message: the newer one went on.
    const newest = new Map<string, KeptAttempt>()
    for (const link of walked.links) {
      const { eventId, round } = link.content
      const delivery = `${eventId} ${round}`
      if (!newest.has(delivery)) newest.set(delivery, link)
    }
    const deliveries = await Promise.all([...newest.values()].map(fromFirst))
    return { deliveries, cursor: walked.cursor }
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
      const walked: Walked<FailedDelivery> = await walk(subject, next ?? undefined, most)
      const views = await Promise.all(
        walked.links.map(({ content }) => fromFailed(webhook, content)),
      )
      deliveries.push(...views.filter((view) => view !== undefined))
      next = walked.cursor
      if (next === null) break
    }
    return { deliveries, cursor: next ?? null }
  }

  return {
    append: async (attempt) => {
      const { wallet, webhookId, eventId, delivered, nextAt, cause } = attempt
      const at = subjectOf(attempt)
      const sequence = await keep(at, attempt)
      if (delivered && cause === 'replay') {
        const subject = SUBJECTS.redelivered(wallet, webhookId, eventId)
        await js.publish(subject, encode({}), { timeout: PUBLISH_TIMEOUT_MS })
      }
      if (!delivered && nextAt === null && cause !== 'test') {
        const subject = SUBJECTS.failedDeliveries(wallet, webhookId)
        await chains.append(subject, { eventId, sequence, subject: at })
      }
      return sequence
    },
    page: (webhook, wanted) => (wanted.failedOnly ? failed : all)(webhook, wanted),
    find: async ({ wallet, webhookId }, eventId, position) => {
      const subject = SUBJECTS.firstAttempts(wallet, webhookId)
      let link =
        position === undefined
          ? await chains.last<Attempt & Linked>(subject)
          : await chains.at<Attempt & Linked>(Number(position), subject)
      for (let looked = 0; link && looked < SEARCHED_MOST; looked++) {
        if (link.content.eventId === eventId) return fromFirst(link)
        if (position !== undefined) return undefined
        link = await chains.at(link.content.previous, subject)
      }
      return undefined
    },
  }
}

const subjectOf = ({ wallet, webhookId, earlier: [first] }: Attempt): string =>
  first === undefined
    ? SUBJECTS.firstAttempts(wallet, webhookId)
    : SUBJECTS.laterAttempts(wallet, webhookId, first)

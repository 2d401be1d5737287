import type { JetStreamClient } from 'nats'
import { SUBJECTS } from '../../messages/subjects.ts'
import type { Attempt } from '../../messages/webhook.ts'
import { encode } from '../codec.ts'
import type { Chains, Linked } from './attempt-chain.ts'

/** A link of the chain of deliveries that failed for good: which one, and where its last attempt is. */
export interface FailedDelivery extends Linked {
  readonly eventId: string
  readonly sequence: number
  readonly subject: string
}

interface Kept {
  readonly chains: Chains
  readonly js: JetStreamClient
}

const PUBLISH_TIMEOUT_MS = 2_000

/**
 * Stores an attempt, and then what the pages are found by: that its delivery failed for good, or that
 * one which had failed has arrived after all.
 * @returns its sequence @throws any of it may or may not be stored
 */
export async function keepAttempt({ chains, js }: Kept, attempt: Attempt): Promise<number> {
  const { wallet, webhookId, eventId, delivered, nextAt, cause } = attempt
  const publish = async (subject: string, content: object) =>
    (await js.publish(subject, encode(content), { timeout: PUBLISH_TIMEOUT_MS })).seq

  const subject = subjectOf(attempt)
  const isFirst = attempt.earlier.length === 0
  const sequence = await (isFirst ? chains.append(subject, attempt) : publish(subject, attempt))
  if (delivered && cause === 'replay') {
    await publish(SUBJECTS.redelivered(wallet, webhookId, eventId), {})
  }
  if (!delivered && nextAt === null && cause !== 'test') {
    const failed = SUBJECTS.failedDeliveries(wallet, webhookId)
    await chains.append(failed, { eventId, sequence, subject })
  }
  return sequence
}

const subjectOf = ({ wallet, webhookId, earlier: [first] }: Attempt): string =>
  first === undefined
    ? SUBJECTS.firstAttempts(wallet, webhookId)
    : SUBJECTS.laterAttempts(wallet, webhookId, first)

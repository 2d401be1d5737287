import { createHash } from 'node:crypto'
import type { Address } from '../../domain/ids.ts'
import { makeWebhookId } from '../../domain/webhook-id.ts'
import type { JoinKey } from '../chat/join-key.ts'

/**
 * The id of the webhook that a request makes. Where its caller named the request, the same one for each
 * repetition, so that the webhook is made once; the service refuses one that asks for another.
 */
export function webhookIdOf(
  wallet: Address,
  join: JoinKey | undefined,
  random: () => Uint8Array,
): string {
  if (join?.param === undefined) return makeWebhookId(random())
  const named = JSON.stringify([wallet, join.key])
  return makeWebhookId(createHash('sha256').update(named).digest())
}

export const RANDOM_BYTES = 24

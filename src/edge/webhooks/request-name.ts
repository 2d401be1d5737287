import { createHash } from 'node:crypto'
import type { Address } from '../../domain/ids.ts'
import { makeWebhookId, WEBHOOK_ID_BYTES } from '../../domain/webhook-id.ts'
import type { JoinKey } from '../chat/join-key.ts'

/**
 * The name of a request for a webhook. Where its caller named the request, the same one for each
 * repetition, so that the webhook is made once; the service refuses one that asks for another.
 */
export function requestNameOf(
  wallet: Address,
  join: JoinKey | undefined,
  randomBytes: (count: number) => Uint8Array,
): string {
  if (join?.param === undefined) return makeWebhookId(randomBytes(WEBHOOK_ID_BYTES))
  const named = JSON.stringify([wallet, join.key])
  return makeWebhookId(createHash('sha256').update(named).digest())
}

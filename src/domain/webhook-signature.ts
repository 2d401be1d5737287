import { createHmac } from 'node:crypto'
import type { ServiceNames } from './service-names.ts'
import { type UnixMs, unixSeconds } from './time.ts'

export interface SignedDelivery {
  /** The event: the same in every attempt. */
  readonly eventId: string
  /** When this attempt is made. */
  readonly at: UnixMs
  /** The request body, to the byte. */
  readonly body: string
  /** As the caller chose it: its UTF-8 bytes are the key. */
  readonly secret: string
}

/**
 * The headers that prove where a delivery comes from: that of the specification (Events, Signature),
 * and those of the Standard Webhooks convention, which says the same in its own way.
 */
export function signatureHeaders(
  { eventId, at, body, secret }: SignedDelivery,
  { signature }: Pick<ServiceNames, 'signature'>,
): Record<string, string> {
  const seconds = unixSeconds(at)
  return {
    [signature]: `t=${seconds},v1=${hmac(secret, `${seconds}.${body}`).toString('hex')}`,
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${hmac(secret, `${eventId}.${seconds}.${body}`).toString('base64')}`,
  }
}

const hmac = (secret: string, text: string): Buffer =>
  createHmac('sha256', Buffer.from(secret, 'utf8')).update(text, 'utf8').digest()

import { assert } from './result.ts'

// Crockford's base 32, as in job ids.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const LETTERS = 24
export const WEBHOOK_ID_BYTES = LETTERS

/** @param random 24 bytes or more that nobody can guess, or the digest of what names its request */
export function makeWebhookId(random: Uint8Array): string {
  assert(random.length >= LETTERS, 'a webhook id is made of 24 random bytes')
  return `wh_${Array.from(random.subarray(0, LETTERS), (byte) => ALPHABET[byte & 31]).join('')}`
}

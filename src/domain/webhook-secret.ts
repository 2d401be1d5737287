/** Random bytes that a secret is made of: what HMAC-SHA256 takes whole. */
export const SECRET_BYTES = 32

/**
 * A secret as text, lower-case hexadecimal. The key is that text's own bytes; without the prefix
 * `whsec_`, since libraries of Standard Webhooks take what follows it for base64.
 */
export const webhookSecret = (random: Uint8Array): string =>
  Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')

import { LIMITS } from './limits.ts'

/** Random bytes that a secret is made of: what HMAC-SHA256 takes whole. */
export const SECRET_BYTES = 32

/**
 * A secret as text, lower-case hexadecimal. The key is that text's own bytes; without the prefix
 * `whsec_`, since libraries of Standard Webhooks take what follows it for base64.
 */
export const webhookSecret = (random: Uint8Array): string =>
  Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** What is wrong with a secret of the caller's own, as the rest of a sentence; undefined: nothing. */
export function webhookSecretFault(secret: string): string | undefined {
  const { webhookSecretCharactersMin: min, webhookSecretCharactersMax: max } = LIMITS
  const characters = [...secret].length
  if (characters < min || characters > max) {
    return `must have ${min} to ${max} characters; 32 random ones are good`
  }
  // Half a character has no bytes of its own, so a receiver could not sign with it as we do.
  if (!secret.isWellFormed()) return 'holds half of a surrogate pair, which is no character'
  return undefined
}

import { LIMITS } from './limits.ts'

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

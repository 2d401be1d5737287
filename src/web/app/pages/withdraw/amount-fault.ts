import { credits } from '../../parts/words.ts'

/** Why so many credits cannot be withdrawn, or null. */
export function withdrawalFault(count: number | undefined, available: number): string | null {
  if (count === undefined) return null
  if (count < 1) return 'At least 1 credit.'
  if (count > available) {
    return `You have ${credits(available)} available. What is locked for jobs comes free when they end.`
  }
  return null
}

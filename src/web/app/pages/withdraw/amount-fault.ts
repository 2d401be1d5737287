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

export const addressFault = (to: string): string | null =>
  /^0x[0-9a-fA-F]{40}$/.test(to) ? null : 'An address is 0x and 40 hexadecimal digits.'

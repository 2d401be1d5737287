import { span } from '../../parts/words.ts'

const DAY_S = 86_400
const MS = 1_000

/** "1 day", "7 days"; what is no whole number of days as a countdown says it. */
export function lasts(seconds: number): string {
  const days = seconds / DAY_S
  if (!Number.isInteger(days) || days === 0) return span(seconds * MS)
  return days === 1 ? '1 day' : `${days} days`
}

/** What happens while a webhook is being made active again is in its span as well. */
const MEANWHILE_MS = 60_000

const TIME = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}$/

/**
 * Of a date with a time, such as 2026-06-01 12:00, in the zone of the reader.
 * @param to empty: up to now
 * @returns undefined where it is none, or ends before it begins
 */
export function spanOf(
  from: string,
  to: string,
  now: number,
): { readonly from: string; readonly to: string } | undefined {
  const begins = timeOf(from)
  const ends = to === '' ? new Date(now + MEANWHILE_MS) : timeOf(to)
  // Of what is no date this is false, too.
  if (!(begins.getTime() <= ends.getTime())) return undefined
  return { from: begins.toISOString(), to: ends.toISOString() }
}

export const isTime = (text: string): boolean => !Number.isNaN(timeOf(text).getTime())

const timeOf = (text: string): Date => new Date(TIME.test(text.trim()) ? text.trim() : Number.NaN)

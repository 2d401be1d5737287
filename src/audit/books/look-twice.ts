import { type Difference, nameOf } from './difference.ts'

export interface Looked<Look> {
  readonly last: Look
  /** Seen every time, until patience was over. */
  readonly standing: readonly Difference[]
  /** Seen, and gone or changed at another look: jobs that move. */
  readonly moving: number
}

interface Options<Look extends { readonly differences: readonly Difference[] }> {
  readonly look: () => Promise<Look>
  readonly patienceMs: number
  readonly pauseMs: number
  readonly now: () => number
  readonly pause: (ms: number) => Promise<unknown>
}

/**
 * Sources that are read one after the other never agree while jobs run. What differs in the very
 * same words at every look for as long as patience lasts is a difference; the rest moves.
 */
export async function lookTwice<Look extends { readonly differences: readonly Difference[] }>({
  look,
  patienceMs,
  pauseMs,
  now,
  pause,
}: Options<Look>): Promise<Looked<Look>> {
  const deadline = now() + patienceMs
  let last = await look()
  const seen = new Set(last.differences.map(nameOf))
  let standing = last.differences
  while (standing.length > 0 && now() < deadline) {
    await pause(pauseMs)
    last = await look()
    const found = new Set(last.differences.map(nameOf))
    for (const name of found) seen.add(name)
    standing = standing.filter((difference) => found.has(nameOf(difference)))
  }
  return { last, standing, moving: seen.size - new Set(standing.map(nameOf)).size }
}

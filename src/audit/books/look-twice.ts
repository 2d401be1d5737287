import { type Difference, keyOf } from './difference.ts'

export interface Looked<Look> {
  readonly last: Look
  /** Seen every time, until patience was over. In the words of the last look. */
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
 * same words at every look for as long as patience lasts is a difference, and so is an amount as of one moment that
 * is wrong at each, in a busy network by another figure each time; the rest moves.
 */
export async function lookTwice<Look extends { readonly differences: readonly Difference[] }>({
  look,
  patienceMs,
  pauseMs,
  now,
  pause,
}: Options<Look>): Promise<Looked<Look>> {
  let last = await look()
  // From here: the first look alone, at very many events, may outlast all patience, and nothing was seen twice yet.
  const deadline = now() + patienceMs
  const seen = new Set(last.differences.map(keyOf))
  let standing = last.differences
  while (standing.length > 0 && now() < deadline) {
    await pause(pauseMs)
    last = await look()
    const stood = new Set(standing.map(keyOf))
    for (const difference of last.differences) seen.add(keyOf(difference))
    standing = last.differences.filter((difference) => stood.has(keyOf(difference)))
  }
  return { last, standing, moving: seen.size - new Set(standing.map(keyOf)).size }
}

/** Two sources that do not agree. */
export interface Difference {
  /** Whose: a job, a wallet, a worker, or a part of the contract. */
  readonly subject: string
  /** What each side says. */
  readonly says: string
}

export const differ = (subject: string, says: string): Difference => ({ subject, says })

export const nameOf = ({ subject, says }: Difference): string => `${subject}: ${says}`

/** Compares one amount. */
export function sameAmount(
  subject: string,
  what: string,
  found: bigint,
  wanted: bigint,
): Difference[] {
  if (found === wanted) return []
  return [differ(subject, `${what} is ${found}, but the events make ${wanted}`)]
}

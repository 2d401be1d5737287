/** Two sources that do not agree. */
export interface Difference {
  /** Whose: a job, a wallet, a worker, or a part of the contract. */
  readonly subject: string
  /** What each side says. */
  readonly says: string
  /**
   * Of amounts as of one moment, which never differ while all is right: what they are of, however much of it there
   * is at the next look.
   */
  readonly what?: string
}

export const differ = (subject: string, says: string, what?: string): Difference => ({
  ...{ subject, says },
  ...(what !== undefined && { what }),
})

export const nameOf = ({ subject, says }: Difference): string => `${subject}: ${says}`

/** The same for one difference at every look. */
export const keyOf = ({ subject, says, what }: Difference): string =>
  nameOf({ subject, says: what ?? says })

/** Compares one amount, as of one moment; `place` says of which. */
export function sameAmount(
  subject: string,
  what: string,
  found: bigint,
  wanted: bigint,
  place = '',
): Difference[] {
  if (found === wanted) return []
  return [differ(subject, `${what}${place} is ${found}, but the events make ${wanted}`, what)]
}

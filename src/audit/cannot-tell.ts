/** There is no verdict, neither good nor bad. The message says why, and what to do about it. */
export class CannotTell extends Error {}

/** The innermost reason: what libraries wrap around it helps nobody who reads one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return reasonOf(error.cause)
  // Of viem: what the node said, if it said anything; else which kind of failure it is.
  if ('details' in error && error.details) return String(error.details)
  return 'shortMessage' in error ? String(error.shortMessage) : error.message
}

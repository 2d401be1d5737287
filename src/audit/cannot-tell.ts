/** There is no verdict, neither good nor bad. The message says why, and what to do about it. */
export class CannotTell extends Error {}

/** The innermost reason: what libraries wrap around it helps nobody who reads one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return reasonOf(error.cause)
  return 'shortMessage' in error ? String(error.shortMessage) : error.message
}

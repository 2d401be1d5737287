/** An expected refusal is a value; a throw is a bug, or a fault that a retry may heal. */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E }

export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value })
export const err = <E>(error: E): Result<never, E> => ({ ok: false, error })

/**
 * Ends a switch over a union: a new member that nobody handles does not compile. One may come all the same, from
 * another version. It is named and not shown: what is thrown is logged, and it may hold a prompt or an answer.
 */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${nameOf(value)}`)
}

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  const { type, status, $case } = value as Readonly<Record<string, unknown>>
  return String(type ?? status ?? $case ?? 'an object')
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}

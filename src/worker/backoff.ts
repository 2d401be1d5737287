import { status } from '@grpc/grpc-js'

const BACKOFF_MS = { first: 100, max: 5_000 } as const

/** Codes that a quick retry will not change. */
export const LASTING: readonly status[] = [
  status.UNAUTHENTICATED,
  status.INVALID_ARGUMENT,
  status.FAILED_PRECONDITION,
  status.RESOURCE_EXHAUSTED,
  status.ABORTED,
]

/** Doubles from 100 ms to 5 s; jitter keeps agents from all dialling a new pool at once. */
export function backoffMs(failures: number): number {
  return jittered(Math.min(BACKOFF_MS.first * 2 ** failures, BACKOFF_MS.max))
}

export const jittered = (fullMs: number): number => Math.round(fullMs * (0.5 + Math.random() / 2))

/** Ends early once the signal does. */
export function pause(signal: AbortSignal, spanMs: number): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, spanMs)
    signal.addEventListener('abort', done)
  })
}

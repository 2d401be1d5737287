import type { DurationMs } from '../../src/domain/time.ts'
import type { Clock } from '../../src/ports/clock.ts'

/** What was tried in vain is tried again later, and later each time; it holds up nothing else. */
export interface Patience {
  isReady(key: string): boolean
  /** @returns whether it is the first time in a row */
  failed(key: string): boolean
  /** Looks again after `span` at the soonest, as if nothing had failed. */
  rest(key: string, span: DurationMs): void
}

const RETRY_MIN_MS = 5_000
const RETRY_MAX_MS = 10 * 60 * 1_000
const KEYS_MAX = 10_000

export function makePatience(clock: Clock): Patience {
  const waits = new Map<string, { readonly until: number; readonly failures: number }>()
  /** Those that nobody asked for again are of things that others have ended. */
  const forgetOld = () => {
    if (waits.size <= KEYS_MAX) return
    for (const [key, { until }] of waits) {
      if (until + RETRY_MAX_MS < clock.monotonic()) waits.delete(key)
    }
  }
  const set = (key: string, span: DurationMs, failures: number) => {
    waits.set(key, { until: clock.monotonic() + span, failures })
    forgetOld()
  }
  return {
    isReady: (key) => (waits.get(key)?.until ?? 0) <= clock.monotonic(),
    failed: (key) => {
      const failures = (waits.get(key)?.failures ?? 0) + 1
      set(key, Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** (failures - 1)), failures)
      return failures === 1
    },
    rest: (key, span) => set(key, span, 0),
  }
}

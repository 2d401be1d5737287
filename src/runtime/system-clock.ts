import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { toUnixMs } from '../domain/time.ts'
import type { Clock } from '../ports/clock.ts'

/** The real clock. */
export const systemClock: Clock = {
  now: () => toUnixMs(Date.now()),
  monotonic: () => performance.now(),
  after: (span, call) => {
    const timer = setTimeout(call, span)
    return () => clearTimeout(timer)
  },
  every: (span, call) => {
    const timer = setInterval(call, span)
    return () => clearInterval(timer)
  },
  randomBytes: (count) => randomBytes(count),
}

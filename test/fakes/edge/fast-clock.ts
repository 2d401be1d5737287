import { toUnixMs } from '../../../src/domain/time.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'

/** Real time at `factor` times its speed, so that a test need not wait out a deadline. */
export function fastClock(factor: number): Clock {
  const start = systemClock.now()
  const since = systemClock.monotonic()
  const passed = () => (systemClock.monotonic() - since) * factor
  return {
    now: () => toUnixMs(Math.floor(start + passed())),
    monotonic: passed,
    after: (span, call) => systemClock.after(span / factor, call),
    every: (span, call) => systemClock.every(span / factor, call),
    randomBytes: systemClock.randomBytes,
  }
}

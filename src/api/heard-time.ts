import type { DurationMs } from '../domain/time.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'

/** Time in which somebody could be heard. */
export interface HeardTime {
  now(): DurationMs
  stop(): void
}

const TICK_MS: DurationMs = 500

/**
 * Who was silent is judged by time that counts only while this process runs and hears the bus: after a pause
 * or a cut nobody is silent yet.
 */
export function makeHeardTime({ bus, clock }: { bus: Bus; clock: Clock }): HeardTime {
  let now = 0
  const stop = clock.every(TICK_MS, () => {
    if (bus.connected) now += TICK_MS
  })
  return { now: () => now, stop }
}

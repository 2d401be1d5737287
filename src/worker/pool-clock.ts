import type { Log } from '../telemetry/log.ts'

const SKEW_WARN_MS = 5_000
/** Two heartbeats that agree to this were not held up, as those are that wait for a machine that slept. */
const STEADY_MS = 1_000

/**
 * A pool's time, as its heartbeats tell it: the deadlines of its offers are given in that, and by that it judges
 * when an answer was signed. It goes on by the clock that never jumps, whatever becomes of this machine's.
 */
export class PoolClock {
  /** What the pool's clock is ahead of the one that never jumps. */
  private sinceStartMs: number | undefined
  private warnedOfMs = 0
  private lastAheadMs = Number.NaN

  constructor(private readonly log: Log) {}

  hear(sentAt: number): void {
    const aheadMs = sentAt - Date.now()
    const isSteady = Math.abs(aheadMs - this.lastAheadMs) < STEADY_MS
    this.lastAheadMs = aheadMs
    if (isSteady && Math.abs(aheadMs - this.warnedOfMs) > SKEW_WARN_MS) {
      this.log.warn({ aheadMs }, "the pool's clock differs: set this machine's clock")
      this.warnedOfMs = aheadMs
    }
    this.sinceStartMs = sentAt - performance.now()
  }

  leftMs(deadlineAt: number): number {
    return deadlineAt - this.now()
  }

  /** When that is by this machine's own clock, however wrong it is: people and figures compare with that one. */
  here(at: number): number {
    return Date.now() + this.leftMs(at)
  }

  private now(): number {
    return this.sinceStartMs === undefined ? Date.now() : this.sinceStartMs + performance.now()
  }
}

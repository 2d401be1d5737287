import type { Log } from '../telemetry/log.ts'

const SKEW_WARN_MS = 5_000

/** A pool's time, as its heartbeats tell it: the deadlines of its offers are given in that. */
export class PoolClock {
  /** Of ours. */
  private aheadMs = 0

  constructor(private readonly log: Log) {}

  hear(sentAt: number): void {
    const aheadMs = sentAt - Date.now()
    if (Math.abs(aheadMs - this.aheadMs) > SKEW_WARN_MS) {
      this.log.warn({ aheadMs }, "the pool's clock differs: set this machine's clock")
    }
    this.aheadMs = aheadMs
  }

  leftMs(deadlineAt: number): number {
    return deadlineAt - Date.now() - this.aheadMs
  }
}

import { POOL_SUMMARY_MS, type PoolSummary } from '../../messages/pool.ts'
import { SUBJECTS } from '../../messages/subjects.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Clock } from '../../ports/clock.ts'

/** Tells everybody this pool's load: regularly, when asked, and when its workers change. */
export class SummaryPublisher {
  private scheduled = false
  private readonly stops: (() => void)[]

  constructor(
    private readonly bus: Bus,
    clock: Clock,
    private readonly summary: () => PoolSummary,
  ) {
    const asked = bus.subscribe(SUBJECTS.poolsAsk, () => this.soon())
    this.stops = [clock.every(POOL_SUMMARY_MS, () => this.now()), () => asked.unsubscribe()]
    this.now()
  }

  /** Within this turn of the event loop: many workers that come together make one message. */
  soon(): void {
    if (this.scheduled) return
    this.scheduled = true
    setImmediate(() => {
      if (this.scheduled) this.now()
    })
  }

  now(): void {
    this.scheduled = false
    this.bus.publish(SUBJECTS.poolSummary, this.summary())
  }

  stop(): void {
    this.scheduled = false
    for (const stop of this.stops) stop()
  }
}

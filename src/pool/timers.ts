import type { DurationMs } from '../domain/time.ts'
import type { Clock } from '../ports/clock.ts'

/** Timers that end together. */
export class Timers {
  private readonly open = new Set<() => void>()

  constructor(private readonly clock: Clock) {}

  after(span: DurationMs, call: () => void): void {
    const cancel = this.clock.after(span, () => {
      this.open.delete(cancel)
      call()
    })
    this.open.add(cancel)
  }

  clear(): void {
    for (const cancel of this.open) cancel()
    this.open.clear()
  }
}

import type { DurationMs } from '../../src/domain/time.ts'
import type { Clock } from '../../src/ports/clock.ts'

/** How a lane waits while it has nothing to send. */
export interface Rest {
  /** Until somebody wakes the lane, or for `spanMs`. One at a time. */
  until(spanMs: DurationMs): Promise<'woken' | 'rested'>
  wake(): void
}

export function makeRest(clock: Clock): Rest {
  let wakeUp: (() => void) | undefined
  return {
    until: (spanMs) =>
      new Promise((resolve) => {
        const cancel = clock.after(spanMs, () => {
          wakeUp = undefined
          resolve('rested')
        })
        wakeUp = () => {
          cancel()
          resolve('woken')
        }
      }),
    // What arrives in one turn of the event loop goes into one batch.
    wake: () => {
      if (wakeUp) setImmediate(wakeUp)
      wakeUp = undefined
    },
  }
}

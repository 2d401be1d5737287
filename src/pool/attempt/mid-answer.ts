import type { DurationMs } from '../../domain/time.ts'
import type { Timers } from '../timers.ts'
import type { Fault } from './failure.ts'
import type { Run } from './run.ts'

/** An agent waits 30 s for the next word of its engine, and then says that it has failed. */
const SILENT_MS: DurationMs = 45_000

const FELL_SILENT: Fault = {
  reason: 'worker_error',
  outcome: 'failed',
  why: `it said nothing for ${SILENT_MS / 1_000} s in the middle of an answer`,
  cancel: true,
}

/**
 * Gives up a worker that has begun an answer and says no more of it, though it lives. Until the deadline
 * nobody would hear of it; and with its quick beginnings it would draw in one job after the other.
 */
export function watchAnswer(run: Run, timers: Timers, give: (fault: Fault) => void): void {
  timers.after(SILENT_MS - run.silentMs, () => {
    if (!run.isRunning) return
    if (run.silentMs >= SILENT_MS) give(FELL_SILENT)
    else watchAnswer(run, timers, give)
  })
}

import type { DurationMs } from '../../domain/time.ts'
import type { Timers } from '../timers.ts'
import type { Run } from './run.ts'
import type { Runs } from './runs.ts'

/** How often a second worker is looked for once the first keeps the caller waiting. */
const LOOK_AGAIN_MS: DurationMs = 500

/** Asks a second worker as well, where the only one that is on an attempt keeps its caller waiting. */
export class Hedge {
  private isLooking = false
  private isOver = false

  /** @param ask looks for a second one beside this one, that has a slot free now */
  constructor(
    private readonly runs: Runs,
    private readonly timers: Timers,
    private readonly ask: (slow: Run) => void,
  ) {}

  /** Looks now, and from time to time. */
  begin(): void {
    if (this.isOver) return
    const slow = this.runs.onlySlow
    if (slow) this.ask(slow)
    if (this.isLooking) return
    this.isLooking = true
    this.timers.after(LOOK_AGAIN_MS, () => {
      this.isLooking = false
      this.begin()
    })
  }

  /** Who goes on is settled. */
  end(): void {
    this.isOver = true
  }
}

import type { DurationMs, UnixMs } from '../domain/time.ts'
import { type Clock, steady } from '../ports/clock.ts'

/** What is less is nothing to whoever reads a date in whole seconds. */
const FOLLOWED_MS: DurationMs = 1_000

/**
 * The time that a pool tells its workers: deadlines are given in it, and proofs are dated and judged by it. While
 * a job is here it goes on as spans do, whatever the wall clock is set to; in between it is set as that one is.
 */
export class PoolTime implements Clock {
  private its: Clock

  constructor(private readonly wall: Clock) {
    this.its = steady(wall)
  }

  now(): UnixMs {
    return this.its.now()
  }

  monotonic(): number {
    return this.wall.monotonic()
  }

  after(span: DurationMs, call: () => void): () => void {
    return this.wall.after(span, call)
  }

  every(span: DurationMs, call: () => void): () => void {
    return this.wall.every(span, call)
  }

  randomBytes(count: number): Uint8Array {
    return this.wall.randomBytes(count)
  }

  /**
   * Takes what the wall clock says now, and tells those who go by it before anything else.
   * @param isIdle no job is here: one that began by another time would be dated wrong
   */
  follow(isIdle: boolean, sessions: Iterable<{ beat(): void }>): void {
    if (!isIdle || Math.abs(this.wall.now() - this.its.now()) < FOLLOWED_MS) return
    this.its = steady(this.wall)
    for (const session of sessions) session.beat()
  }
}

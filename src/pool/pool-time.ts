import type { DurationMs, UnixMs } from '../domain/time.ts'
import { POOL_SUMMARY_MS } from '../messages/pool.ts'
import { type Clock, steady } from '../ports/clock.ts'

/** A pool looks at its clock more often: where it does not, it was halted. */
const HALTED_MS: DurationMs = 3 * POOL_SUMMARY_MS
/** What is less is nothing to whoever reads a date in whole seconds. */
const FOLLOWED_MS: DurationMs = 1_000

/**
 * The time that a pool tells its workers: deadlines are given in it, and proofs are dated and judged by it. While
 * a job is here it goes on as spans do, whatever the wall clock is set to; in between it is set as that one is.
 */
export class PoolTime implements Clock {
  private its: Clock
  private lookedAt: number
  private haltedMs = 0

  constructor(private readonly wall: Clock) {
    this.its = steady(wall)
    this.lookedAt = wall.monotonic()
  }

  now(): UnixMs {
    return this.its.now()
  }

  /**
   * Counts only while the pool runs: what workers said while it was halted is unread, so none of them was silent.
   * To be asked twice a second.
   */
  monotonic(): number {
    const now = this.wall.monotonic()
    const sinceMs = now - this.lookedAt
    this.lookedAt = now
    if (sinceMs > HALTED_MS) this.haltedMs += sinceMs
    return now - this.haltedMs
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
    this.monotonic()
    if (!isIdle || Math.abs(this.wall.now() - this.its.now()) < FOLLOWED_MS) return
    this.its = steady(this.wall)
    for (const session of sessions) session.beat()
  }
}

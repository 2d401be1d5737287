import { type DurationMs, toUnixMs, type UnixMs } from '../domain/time.ts'
import { POOL_SUMMARY_MS } from '../messages/pool.ts'
import type { Clock } from '../ports/clock.ts'

/** A pool looks at its clock more often: where it does not, it was halted. */
const HALTED_MS: DurationMs = 3 * POOL_SUMMARY_MS
/** What is less is nothing to whoever reads a date in whole seconds. */
const FOLLOWED_MS: DurationMs = 1_000
/** A quarter of the time: over a whole job half a minute, of the two that a proof's date may be off. */
const SLEWED_MS: DurationMs = POOL_SUMMARY_MS / 4

/**
 * The time that a pool tells its workers: deadlines are given in it, and proofs are dated and judged by it. Where
 * the wall clock is set it follows at once while no job is here, and else so slowly that no job comes to harm.
 */
export class PoolTime implements Clock {
  /** What it is ahead of the clock that never jumps. */
  private aheadMs: DurationMs
  private lookedAt: number
  private haltedMs = 0

  constructor(private readonly wall: Clock) {
    this.aheadMs = wall.now() - wall.monotonic()
    this.lookedAt = wall.monotonic()
  }

  now(): UnixMs {
    return toUnixMs(Math.round(this.wall.monotonic() + this.aheadMs))
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
   * Towards what the wall clock says now. Those who go by it are told before anything else. To be called every
   * POOL_SUMMARY_MS.
   * @param isIdle no job is here: one that began by another time would be dated wrong
   */
  follow(isIdle: boolean, sessions: Iterable<{ beat(): void }>): void {
    this.monotonic()
    const offMs = this.wall.now() - this.now()
    if (Math.abs(offMs) < FOLLOWED_MS) return
    this.aheadMs += isIdle ? offMs : Math.sign(offMs) * SLEWED_MS
    for (const session of sessions) session.beat()
  }
}

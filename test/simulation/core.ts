import type { DurationMs } from '../../src/domain/time.ts'
import type { Chaos, Node, World } from './world.ts'

/** The kernel, as its own parts know it. */
export interface Core extends World {
  readonly faults: Chaos
  /** The process whose event is under way. */
  current: Process | undefined
  /** Told how far a process's clock is off. */
  noteSkew(skewMs: DurationMs): void
  /** Milliseconds since the life began, with their fractions. */
  elapsed(): DurationMs
}

export interface Process extends Node {
  /** A timer of this process; not rounded up to a millisecond. */
  later(span: DurationMs, call: () => void): () => void
}

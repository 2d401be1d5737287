import type { DurationMs } from '../../src/domain/time.ts'

/** What a decision may know of the world besides the job. */
export interface World {
  /**
   * The pool to offer the job to next; undefined when none has a worker for it.
   * @param contextAbove the worker must serve more context than this, in tokens
   */
  choosePool(
    model: string,
    excludePools: readonly string[],
    contextAbove?: number,
  ): string | undefined
  /** How long after its final output token an answer can be contested. */
  readonly disputeWindowMs: DurationMs
}

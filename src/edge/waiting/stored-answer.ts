import { outputHash } from '../../domain/hash.ts'
import type { Hex32, JobId } from '../../domain/ids.ts'
import type { DurationMs } from '../../domain/time.ts'
import { type Clock, pause } from '../../ports/clock.ts'
import type { Outputs } from '../../ports/outputs.ts'
import type { Log } from '../../telemetry/log.ts'

/** The pool, or this edge, may be cut off from the store for some seconds. */
const WITHIN_MS = 12_000
const EACH_MS = 50
const EACH_MS_MAX = 500

interface Options {
  readonly jobId: JobId
  /** What the worker signed; anything else is no answer to this job. */
  readonly hash: Hex32
  readonly outputs: Outputs
  readonly clock: Clock
  readonly log: Log
  /** When to look first. Chunks that are on their way need a moment. */
  readonly firstAfterMs?: DurationMs | undefined
  /** True once the answer is no longer wanted: the missing chunks came after all. */
  readonly settled: () => boolean
}

/**
 * The whole answer as the pool stored it. It may be written a moment after the job ended.
 * @returns `gone`: it did not come, perhaps another text did; `unreadable`: the store does not answer
 */
export async function readStoredAnswer(
  options: Options,
): Promise<{ readonly text: string } | 'gone' | 'unreadable'> {
  const { jobId, hash, outputs, clock, log, settled } = options
  const until = clock.monotonic() + WITHIN_MS
  let failure: 'gone' | 'unreadable' = 'gone'
  let waitMs = options.firstAfterMs ?? EACH_MS
  while (clock.monotonic() < until) {
    if (waitMs > 0) await pause(clock, waitMs)
    waitMs = Math.min(Math.max(EACH_MS, waitMs * 1.5), EACH_MS_MAX)
    if (settled()) return failure
    try {
      const text = await outputs.answer(jobId)
      if (text !== undefined && outputHash(text) === hash) return { text }
      // Another text is of an attempt that the job has not taken: the one that it has follows, as where none is.
      failure = 'gone'
    } catch (error) {
      failure = 'unreadable'
      log.debug({ err: error, jobId }, 'stored answer cannot be read, trying again')
    }
  }
  return failure
}

import { outputHash } from '../domain/hash.ts'
import type { Hex32, JobId } from '../domain/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { Outputs } from '../ports/ledger.ts'
import type { Log } from '../telemetry/log.ts'

const WITHIN_MS = 2_000
const EACH_MS = 50

interface Options {
  readonly jobId: JobId
  /** What the worker signed; anything else is no answer to this job. */
  readonly hash: Hex32
  readonly outputs: Outputs
  readonly clock: Clock
  readonly log: Log
  /** True once the answer is no longer wanted: the missing chunks came after all. */
  readonly settled: () => boolean
}

/** The whole answer as the pool stored it. It may be written a moment after the job ended. */
export async function readStoredAnswer(options: Options): Promise<string | undefined> {
  const { jobId, hash, outputs, clock, log, settled } = options
  const until = clock.monotonic() + WITHIN_MS
  while (clock.monotonic() < until) {
    await new Promise<void>((resolve) => clock.after(EACH_MS, resolve))
    if (settled()) return undefined
    try {
      const answer = await outputs.answer(jobId)
      if (answer !== undefined) return outputHash(answer) === hash ? answer : undefined
    } catch (error) {
      log.warn({ err: error, jobId }, 'stored answer cannot be read, trying again')
    }
  }
  return undefined
}

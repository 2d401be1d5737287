import type { JobId } from '../domain/ids.ts'
import type { DurationMs } from '../domain/time.ts'

/** Answers, for callers who were cut off. Nothing here outlives the job's window by much. */
export interface Outputs {
  putAnswer(jobId: JobId, text: string, ttlMs: DurationMs): Promise<void>
  answer(jobId: JobId): Promise<string | undefined>
  /** What a worker says of a request that it refuses. */
  putWords(jobId: JobId, words: string, ttlMs: DurationMs): Promise<void>
  words(jobId: JobId): Promise<string | undefined>
}

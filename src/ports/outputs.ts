import type { ChatRequest } from '../domain/chat.ts'
import type { Address, JobId } from '../domain/ids.ts'
import type { DurationMs } from '../domain/time.ts'

/** The prompt and the answer while a job runs. Nothing here outlives the job's window by much. */
export interface Outputs {
  /** As `Ledger.reserve` kept it. */
  prompt(wallet: Address, jobId: JobId): Promise<ChatRequest | undefined>
  deletePrompt(wallet: Address, jobId: JobId): Promise<void>
  putAnswer(jobId: JobId, text: string, ttlMs: DurationMs): Promise<void>
  answer(jobId: JobId): Promise<string | undefined>
  /** What a worker says of a request that it refuses. */
  putWords(jobId: JobId, words: string, ttlMs: DurationMs): Promise<void>
  words(jobId: JobId): Promise<string | undefined>
}

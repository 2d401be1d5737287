import type { ChatRequest } from '../../src/domain/chat.ts'
import type { JobId } from '../../src/domain/ids.ts'
import { keepNewest } from '../../src/domain/newest.ts'
import type { StartJob } from '../../src/messages/job.ts'

/** Where no locks are to be had, jobs wait: above so many, a pool asks the edge for the oldest prompts. */
const KEPT_MOST = 1_024

/**
 * The prompts of jobs that this host began and has not offered yet: in memory alone, so that the first
 * offer brings its prompt. For every other one its pool asks the edge.
 */
export class Prompts {
  readonly #kept = new Map<JobId, ChatRequest>()

  keep({ jobId, key: { prompt } }: StartJob): void {
    if (prompt) keepNewest(this.#kept, jobId, prompt, KEPT_MOST)
  }

  /** Only once. */
  take(jobId: JobId): ChatRequest | undefined {
    const prompt = this.#kept.get(jobId)
    this.forget(jobId)
    return prompt
  }

  forget(jobId: JobId): void {
    this.#kept.delete(jobId)
  }
}

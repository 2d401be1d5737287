import type { JobId } from '../../src/domain/ids.ts'
import type { Outputs } from '../../src/ports/outputs.ts'

/** Answers in memory, kept for ever. */
export class MemoryOutputs implements Outputs {
  readonly answers = new Map<JobId, string>()
  readonly refusals = new Map<JobId, string>()

  async putAnswer(jobId: JobId, text: string) {
    this.answers.set(jobId, text)
  }
  async answer(jobId: JobId) {
    return this.answers.get(jobId)
  }
  async putWords(jobId: JobId, words: string) {
    this.refusals.set(jobId, words)
  }
  async words(jobId: JobId) {
    return this.refusals.get(jobId)
  }
}

import type { ChatRequest } from '../../src/domain/chat.ts'
import type { Address, JobId } from '../../src/domain/ids.ts'
import type { Outputs } from '../../src/ports/outputs.ts'

/** Prompts and answers in memory, kept for ever. */
export class MemoryOutputs implements Outputs {
  readonly #prompts = new Map<string, ChatRequest>()
  readonly answers = new Map<JobId, string>()
  readonly refusals = new Map<JobId, string>()

  async prompt(wallet: Address, jobId: JobId) {
    return this.#prompts.get(`${wallet}/${jobId}`)
  }
  /** For whoever plays the edge; the real one is left by a reservation. */
  async putPrompt(wallet: Address, jobId: JobId, prompt: ChatRequest) {
    this.#prompts.set(`${wallet}/${jobId}`, prompt)
  }
  async deletePrompt(wallet: Address, jobId: JobId) {
    this.#prompts.delete(`${wallet}/${jobId}`)
  }
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

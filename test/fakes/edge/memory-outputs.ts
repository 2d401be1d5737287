import type { ChatRequest } from '../../../src/domain/chat.ts'
import type { Address, JobId } from '../../../src/domain/ids.ts'
import type { Outputs } from '../../../src/ports/ledger.ts'

/** Prompts and answers within one process. */
export class MemoryOutputs implements Outputs {
  readonly answers = new Map<JobId, string>()
  readonly refusals = new Map<JobId, string>()
  readonly #prompts = new Map<JobId, ChatRequest>()

  async prompt(_wallet: Address, jobId: JobId): Promise<ChatRequest | undefined> {
    return this.#prompts.get(jobId)
  }
  async putPrompt(_wallet: Address, jobId: JobId, prompt: ChatRequest): Promise<void> {
    this.#prompts.set(jobId, prompt)
  }
  async deletePrompt(_wallet: Address, jobId: JobId): Promise<void> {
    this.#prompts.delete(jobId)
  }
  async putAnswer(jobId: JobId, text: string): Promise<void> {
    this.answers.set(jobId, text)
  }
  async answer(jobId: JobId): Promise<string | undefined> {
    return this.answers.get(jobId)
  }
  async putWords(jobId: JobId, words: string): Promise<void> {
    this.refusals.set(jobId, words)
  }
  async words(jobId: JobId): Promise<string | undefined> {
    return this.refusals.get(jobId)
  }
}

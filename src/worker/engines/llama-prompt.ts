import { setImmediate } from 'node:timers/promises'
import type { ChatMessage } from '../../domain/chat.ts'
import { EngineFault } from '../engine.ts'
import { type ChatTemplate, type LlamaWeights, type Token, wordsOf } from './llama-package.ts'

export interface PromptParts {
  readonly weights: Pick<LlamaWeights, 'tokens' | 'tokenize' | 'detokenize'>
  readonly template: ChatTemplate
  readonly templateText: string
  /** Prompt and answer together, in tokens. */
  readonly contextWindow: number
}

/** Tokenizing holds up all other jobs, a second for each megabyte or so. */
const SLICE_CHARACTERS = 65_536

/** Puts a conversation into the tokens that the model was taught to read it in. */
export class PromptWriter {
  constructor(private readonly parts: PromptParts) {}

  /**
   * @returns fewer tokens than the context has, so that there is room for an answer
   * @throws {EngineFault} `context_length`, with the numbers; `invalid_request` where the model's
   *   template does not take the conversation
   */
  async write(messages: readonly ChatMessage[]): Promise<Token[]> {
    const text = this.render(messages)
    await this.refuseOverlong(text)
    const tokens = this.tokenize(text)
    if (tokens.length >= this.parts.contextWindow) throw this.tooLong(`${tokens.length}`)
    return tokens
  }

  /** Whether an answer to this prompt may begin with a thought, or is in one already. */
  thoughtAt(prompt: readonly Token[]): 'start' | 'thought' | 'answer' {
    const { templateText, weights } = this.parts
    if (!templateText.includes('</think>')) return 'answer'
    // Some templates open the thought themselves, at the prompt's end.
    const end = weights.detokenize(prompt.slice(-8), true, [])
    return end.trimEnd().endsWith('<think>') ? 'thought' : 'start'
  }

  private render(messages: readonly ChatMessage[]): string {
    const { bosString, eosString } = this.parts.weights.tokens
    try {
      return this.parts.template.render({
        messages: messages.map(({ role, content }) => ({ role, content })),
        add_generation_prompt: true,
        bos_token: bosString ?? '',
        eos_token: eosString ?? '',
      })
    } catch (error) {
      // Templates refuse what the model was not taught, such as two messages of one role in a row.
      throw new EngineFault('invalid_request', `the model's chat template: ${wordsOf(error)}`)
    }
  }

  private tokenize(text: string): Token[] {
    const { bos, shouldPrependBosToken } = this.parts.weights.tokens
    const tokens = this.parts.weights.tokenize(text, true)
    const missesBos = shouldPrependBosToken && bos !== null && tokens[0] !== bos
    return missesBos ? [bos, ...tokens] : tokens
  }

  /**
   * Counts a very long text by the slice, with a turn for others after each. Cutting splits a few
   * tokens, so only what is far too long is refused here.
   */
  private async refuseOverlong(text: string): Promise<void> {
    const { contextWindow, weights } = this.parts
    if (text.length <= SLICE_CHARACTERS) return
    let tokens = 0
    for (let at = 0; at < text.length; at += SLICE_CHARACTERS) {
      tokens += weights.tokenize(text.slice(at, at + SLICE_CHARACTERS), true).length
      if (tokens > 2 * contextWindow) throw this.tooLong(`more than ${2 * contextWindow}`)
      await setImmediate()
    }
  }

  private readonly tooLong = (tokens: string): EngineFault =>
    new EngineFault(
      'context_length',
      `the messages are ${tokens} tokens, the context is ${this.parts.contextWindow} for messages and answer together`,
    )
}

import type { LlamaWeights, Token } from './llama-package.ts'

/** Text with the number of tokens it was made from. */
export interface TokenText {
  readonly text: string
  readonly tokens: number
}

/** The package looks at no more of what came before. */
const BEFORE_TOKENS = 4
/** A character is at most four bytes, so at most four tokens. */
const HELD_MAX = 4

/**
 * Turns tokens into text as they come. A token may be a part of a character only, so those that end
 * amid one are held back until it is whole.
 */
export class TokenReader {
  private held: Token[] = []

  constructor(
    private readonly weights: Pick<LlamaWeights, 'detokenize'>,
    /** The end of what came before, newest last. */
    private before: readonly Token[],
  ) {}

  push(token: Token): TokenText {
    this.held.push(token)
    const text = this.weights.detokenize(this.held, false, this.before)
    return text.endsWith('\ufffd') && this.held.length < HELD_MAX
      ? { text: '', tokens: 0 }
      : this.release(text)
  }

  /** What was held back for nothing. */
  end(): TokenText {
    return this.release(this.weights.detokenize(this.held, false, this.before))
  }

  private release(text: string): TokenText {
    const tokens = this.held.length
    this.before = [...this.before, ...this.held].slice(-BEFORE_TOKENS)
    this.held = []
    return { text, tokens }
  }
}

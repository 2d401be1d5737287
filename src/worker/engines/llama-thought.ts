import type { TokenText } from './llama-text.ts'

const OPEN = '<think>'
const CLOSE = '</think>'

/**
 * Leaves out what a reasoning model thinks before it answers: that is no part of the answer, and is
 * not billed (as with upstreams, which tell it apart themselves).
 */
export class ThoughtFilter {
  private held = ''
  private heldTokens = 0

  /** @param state `thought` where the prompt has opened it, `answer` where the model has none */
  constructor(private state: 'start' | 'thought' | 'gap' | 'answer') {}

  push({ text, tokens }: TokenText): TokenText {
    if (this.answering) return { text, tokens }
    this.held += text
    this.heldTokens += tokens
    if (this.state === 'start') this.leaveStart()
    if (this.state === 'thought') this.leaveThought(tokens)
    if (this.state === 'gap') this.leaveGap(tokens)
    return this.answering ? this.release() : NOTHING
  }

  /** What might have begun a thought, and did not. */
  end(): TokenText {
    return this.state === 'start' ? this.release() : NOTHING
  }

  private get answering(): boolean {
    return this.state === 'answer'
  }

  private leaveStart(): void {
    const begun = this.held.trimStart()
    if (begun.startsWith(OPEN)) {
      this.held = begun.slice(OPEN.length)
      this.state = 'thought'
    } else if (!OPEN.startsWith(begun)) this.state = 'answer'
  }

  private leaveThought(tokens: number): void {
    const at = this.held.indexOf(CLOSE)
    if (at < 0) {
      // Its end may come in pieces.
      this.held = this.held.slice(-CLOSE.length)
      return
    }
    this.held = this.held.slice(at + CLOSE.length)
    this.heldTokens = tokens
    this.state = 'gap'
  }

  private leaveGap(tokens: number): void {
    this.held = this.held.trimStart()
    this.heldTokens = tokens
    if (this.held !== '') this.state = 'answer'
  }

  private release(): TokenText {
    const released = { text: this.held, tokens: this.heldTokens }
    this.held = ''
    this.heldTokens = 0
    return released
  }
}

const NOTHING: TokenText = { text: '', tokens: 0 }

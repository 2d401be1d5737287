import { type EngineEnding, EngineFault, type EngineJob, type Piece } from '../engine.ts'
import { StopText } from '../stop-text.ts'
import { type LlamaSequence, type LlamaWeights, type Token, wordsOf } from './llama-package.ts'
import { type PromptParts, PromptWriter } from './llama-prompt.ts'
import { evaluateOptions } from './llama-sampling.ts'
import { TokenReader, type TokenText } from './llama-text.ts'
import { ThoughtFilter } from './llama-thought.ts'

export interface LlamaModelParts extends PromptParts {
  readonly weights: LlamaWeights
  /** One a slot. */
  readonly sequences: readonly LlamaSequence[]
  /** Tokens of a prompt that are read between two looks at the signal. */
  readonly stepTokens: number
}

/** A model in memory. Answers as many jobs at once as it has sequences. */
export class LlamaModel {
  readonly contextWindow: number
  private readonly prompts: PromptWriter
  private readonly free: LlamaSequence[]

  constructor(private readonly parts: LlamaModelParts) {
    this.contextWindow = parts.contextWindow
    this.prompts = new PromptWriter(parts)
    this.free = [...parts.sequences]
  }

  /** @throws {EngineFault} */
  async *generate(job: EngineJob, signal: AbortSignal): AsyncGenerator<Piece, void, void> {
    const prompt = await this.prompts.write(job.messages)
    const sequence = this.free.pop()
    if (!sequence) throw new EngineFault('engine', 'more jobs at once than the model has slots')
    try {
      yield* this.answer(job, prompt, sequence, signal)
    } catch (error) {
      throw new EngineFault('engine', `llama.cpp failed: ${wordsOf(error)}`, { cause: error })
    } finally {
      // Nothing of this caller may be left for the next one.
      await sequence.clearHistory()
      this.free.push(sequence)
    }
  }

  async close(): Promise<void> {
    await this.parts.weights.dispose()
  }

  private async *answer(
    job: EngineJob,
    prompt: Token[],
    sequence: LlamaSequence,
    signal: AbortSignal,
  ): AsyncGenerator<Piece, void, void> {
    const most = Math.min(job.outputTokensMax, this.contextWindow - prompt.length)
    const reader = new TokenReader(this.parts.weights, prompt.slice(-4))
    const thought = new ThoughtFilter(this.prompts.thoughtAt(prompt))
    const stop = new StopText(job.sampling.stop ?? [])
    const generated: Token[] = []
    let completionTokens = 0
    let finishReason: 'stop' | 'length' = 'stop'
    let stopped = false
    const passOn = ({ text, tokens }: TokenText): Piece => {
      completionTokens += tokens
      const passed = stop.push(text)
      stopped ||= passed.stopped
      return { text: passed.text, tokens }
    }
    for await (const token of this.tokens(job, prompt, sequence, generated, signal)) {
      generated.push(token)
      yield passOn(thought.push(reader.push(token)))
      if (stopped) break
      if (generated.length < most) continue
      finishReason = 'length'
      break
    }
    const ending = (): EngineEnding => ({
      finishReason,
      usage: { promptTokens: prompt.length, completionTokens },
    })
    if (signal.aborted) {
      // Nobody takes text any more: what is held back is not counted either.
      finishReason = 'length'
      yield { text: '', tokens: 0, ending: ending() }
      return
    }
    if (!stopped) for (const rest of [thought.push(reader.end()), thought.end()]) yield passOn(rest)
    yield { text: stopped ? '' : stop.end(), tokens: 0, ending: ending() }
  }

  /** Reads the prompt, then gives the answer's tokens, until the model ends it or `signal` does. */
  private async *tokens(
    { sampling }: EngineJob,
    prompt: Token[],
    sequence: LlamaSequence,
    generated: readonly Token[],
    signal: AbortSignal,
  ): AsyncGenerator<Token, void, void> {
    const { stepTokens } = this.parts
    let at = 0
    for (; prompt.length - at > stepTokens; at += stepTokens) {
      if (signal.aborted) return
      await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(at, at + stepTokens))
    }
    if (signal.aborted) return
    for await (const token of sequence.evaluate(
      prompt.slice(at),
      evaluateOptions(sampling, generated),
    )) {
      if (signal.aborted) return
      yield token
      if (signal.aborted) return
    }
  }
}

import { z } from 'zod'
import type { FinishReason } from '../../domain/chat.ts'
import { type EngineEnding, EngineFault, type Piece } from '../engine.ts'
import { SseReader } from './sse.ts'
import { eventFault, parseJson } from './upstream-faults.ts'

const tokens = z.number().int().nonnegative()
const event = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            reasoning_content: z.string().nullish(),
            reasoning: z.string().nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z
    .object({
      prompt_tokens: tokens.nullish(),
      completion_tokens: tokens.nullish(),
      completion_tokens_details: z.object({ reasoning_tokens: tokens.nullish() }).nullish(),
    })
    .nullish(),
})
type StreamEvent = z.infer<typeof event>

/** Follows one streamed chat completion of an upstream. Knows nothing of HTTP. */
export class UpstreamStream {
  private readonly sse = new SseReader()
  private usage: StreamEvent['usage']
  private finishReason: FinishReason | undefined
  private contentEvents = 0
  private reasoned = false
  private done = false

  /** @returns what `bytes` add to the answer, as one piece */
  push(bytes: Uint8Array): Piece {
    return this.read(this.sse.push(bytes))
  }

  /** The stream is over. @throws {EngineFault} where it broke off before its end */
  end(): Piece {
    const last = this.read(this.sse.end())
    if (!this.finishReason) {
      throw new EngineFault('engine', 'upstream ended its stream without a finish_reason')
    }
    return last
  }

  ending(promptTokensGuess: number): EngineEnding {
    return {
      finishReason: this.finishReason ?? 'stop',
      usage: {
        promptTokens: this.usage?.prompt_tokens ?? promptTokensGuess,
        completionTokens: this.completionTokens(),
      },
    }
  }

  /** `[DONE]` was read: nothing more comes. */
  get isDone(): boolean {
    return this.done
  }

  private read(events: readonly string[]): Piece {
    let text = ''
    const before = this.contentEvents
    for (const data of events) {
      if (data.trim() === '[DONE]') this.done = true
      else if (!this.done) text += this.readEvent(data)
    }
    return { text, tokens: this.contentEvents - before }
  }

  private readEvent(data: string): string {
    const json = parseJson(data)
    const fault = eventFault(json)
    if (fault) throw fault
    const parsed = event.safeParse(json)
    if (!parsed.success) {
      throw new EngineFault('engine', 'upstream sent an event that is no chat completion chunk')
    }
    this.usage = parsed.data.usage ?? this.usage
    const choice = parsed.data.choices?.[0]
    if (!choice) return ''
    if (choice.finish_reason) this.finishReason = finishReasonOf(choice.finish_reason)
    // What a model thinks before it answers is no part of the answer, and is not billed.
    if (choice.delta?.reasoning_content || choice.delta?.reasoning) this.reasoned = true
    const content = choice.delta?.content ?? ''
    if (content !== '') this.contentEvents++
    return content
  }

  /**
   * Where the upstream gives no usage, or counts its thinking in without saying how much that was,
   * each event with content counts as one token: engines send a token or more an event, so this
   * never bills too much.
   */
  private completionTokens(): number {
    const total = this.usage?.completion_tokens
    if (total === undefined || total === null) return this.contentEvents
    const thought = this.usage?.completion_tokens_details?.reasoning_tokens
    if (thought !== undefined && thought !== null) return Math.max(0, total - thought)
    return this.reasoned ? this.contentEvents : total
  }
}

function finishReasonOf(reason: string): FinishReason {
  return reason === 'length' || reason === 'content_filter' ? reason : 'stop'
}

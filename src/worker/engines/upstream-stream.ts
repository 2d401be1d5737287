import { z } from 'zod'
import type { FinishReason } from '../../domain/chat.ts'
import { type EngineEnding, EngineFault, type Piece } from '../engine.ts'
import { EventFrame } from './event-frame.ts'
import { SseReader } from './sse.ts'
import { bodyFault, eventFault, parseJson } from './upstream-faults.ts'

// A count that is none is no reason to lose the answer.
const tokens = z.number().int().nonnegative().nullish().catch(undefined)
// Mistral's service says what its models think, and the text behind that, in parts.
const part = z.object({ type: z.string(), text: z.string().nullish() })
const words = z
  .object({
    content: z.union([z.string(), z.array(part)]).nullish(),
    reasoning_content: z.string().nullish(),
    reasoning: z.string().nullish(),
  })
  .transform(({ content, reasoning_content, reasoning }) => {
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
    const texts = parts.filter(({ type }) => type === 'text').map(({ text }) => text ?? '')
    // What a model thinks before it answers is no part of the answer, and is not billed.
    const inParts = parts.some(({ type }) => type === 'thinking')
    const thinks = inParts || Boolean(reasoning_content || reasoning)
    return { content: texts.join(''), thinks }
  })
  .nullish()
const event = z.object({
  choices: z
    .array(
      z.object({
        delta: words,
        // Not of the format: what cannot be read there is no reason to lose what is.
        message: words.catch(undefined),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z
    .object({
      prompt_tokens: tokens,
      completion_tokens: tokens,
      total_tokens: tokens,
      completion_tokens_details: z.object({ reasoning_tokens: tokens }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
})
type StreamEvent = z.infer<typeof event>
type Words = z.infer<typeof words>
/** Where an upstream has the text of its events. */
type Place = 'delta' | 'message'

/** Events that are tried as the frame of those that follow: where all differ, no more is spent on that. */
const FRAMES_MAX = 4
/** So much of a body that is no stream is kept, in bytes: an error says what it is within that. */
const HEAD_BYTES_MAX = 64 * 1024

/** Follows one streamed chat completion of an upstream. Knows nothing of HTTP. */
export class UpstreamStream {
  private readonly sse = new SseReader('[DONE]')
  /** All that came before the first event. */
  private head: Uint8Array[] = []
  private headBytes = 0
  private usage: StreamEvent['usage']
  /** In the upstream's words. */
  private reason: string | undefined
  private events = 0
  private contentEvents = 0
  private reasoned = false
  private place: Place | undefined
  private frame: EventFrame | undefined
  private frames = 0
  private done = false
  /** How long its reader has waited since the last event. What keeps a connection open is none: a proxy says it, too. */
  silentMs = 0

  /**
   * @returns what `bytes` add to the answer, as one piece
   * @throws {EngineFault}
   */
  push(bytes: Uint8Array): Piece {
    if (this.events === 0 && this.headBytes < HEAD_BYTES_MAX) {
      this.head.push(bytes)
      this.headBytes += bytes.length
    }
    return this.read(this.sse.push(bytes))
  }

  /** The stream is over. @throws {EngineFault} where it broke off before its end, or was none */
  end(): Piece {
    const last = this.read(this.sse.end())
    if (this.events === 0 && this.headBytes > 0)
      throw bodyFault(Buffer.concat(this.head).toString())
    if (this.reason === undefined) {
      throw new EngineFault('engine', 'upstream ended its stream without a finish_reason')
    }
    // A call of a tool that nobody offered, in place of an answer.
    if (TOOLS.test(this.reason) && this.contentEvents === 0) throw endedBy(this.reason)
    return last
  }

  ending(promptTokensGuess: number): EngineEnding {
    return {
      finishReason: finishReasonOf(this.reason),
      usage: {
        // Nobody asks without a word: what says 0 has not counted.
        promptTokens: this.usage?.prompt_tokens || promptTokensGuess,
        completionTokens: this.completionTokens(),
      },
    }
  }

  /** There was an event. */
  get isStream(): boolean {
    return this.events > 0
  }

  /** The model has begun to think or to answer. */
  get hasBegun(): boolean {
    return this.reasoned || this.contentEvents > 0
  }

  /** The answer is whole, though its usage may be still to come. */
  get isWhole(): boolean {
    return this.reason !== undefined
  }

  /** It has told how many tokens the answer is. */
  get hasUsage(): boolean {
    return this.toldTokens !== undefined
  }

  /** `[DONE]` was read: nothing more comes. */
  get isDone(): boolean {
    return this.done
  }

  private read(events: readonly string[]): Piece {
    let text = ''
    const before = this.contentEvents
    if (events.length > 0) {
      this.head = []
      this.silentMs = 0
    }
    this.events += events.length
    for (const data of events) {
      if (data.trim() === '[DONE]') this.done = true
      else if (!this.done) text += this.readEvent(data)
    }
    return { text, tokens: this.contentEvents - before }
  }

  private readEvent(data: string): string {
    const known = this.frame?.read(data)
    if (known === undefined) return this.parseEvent(data)
    if (known !== '') this.contentEvents++
    return known
  }

  private parseEvent(data: string): string {
    const json = parseJson(data)
    // Half an event after the last word of the answer: the connection broke there.
    if (json === undefined && this.isWhole) return ''
    const fault = eventFault(json)
    if (fault) throw fault
    const parsed = event.safeParse(json)
    if (!parsed.success) {
      throw new EngineFault('engine', 'upstream sent an event that is no chat completion chunk')
    }
    this.usage = parsed.data.usage ?? this.usage
    const choice = parsed.data.choices?.[0]
    if (!choice) return ''
    if (choice.finish_reason) this.finish(choice.finish_reason)
    const said = this.wordsOf(choice)
    if (said?.thinks) this.reasoned = true
    const content = said?.content ?? ''
    if (content !== '') this.contentEvents++
    if (content !== '' && this.frames < FRAMES_MAX) this.learn(data, content)
    return content
  }

  private learn(data: string, content: string): void {
    this.frames++
    this.frame = EventFrame.of(data, content, (like) => this.onlyContent(like)) ?? this.frame
  }

  /** What an event says that says nothing else; undefined where it does. */
  private onlyContent(data: string): string | undefined {
    const like = event.safeParse(parseJson(data)).data
    const choice = like?.choices?.[0]
    if (!choice || choice.finish_reason || like.usage) return undefined
    const said = this.wordsOf(choice)
    return said?.thinks ? undefined : said?.content
  }

  /**
   * Some upstreams stream `message` in place of `delta`, and some say the whole answer in `message` once more
   * after its deltas: text is taken from where the first of it was.
   */
  private wordsOf(choice: { readonly [In in Place]?: Words }): Words {
    if (this.place) return choice[this.place]
    const place = saysAny(choice.delta) ? 'delta' : 'message'
    if (saysAny(choice[place])) this.place = place
    return choice[place]
  }

  private finish(reason: string): void {
    if (BROKEN.test(reason)) throw endedBy(reason)
    this.reason = reason
  }

  /** LocalAI's for some backends, and on the way to the last event, is nought of everything. */
  private get toldTokens(): number | undefined {
    const told = this.usage?.completion_tokens ?? undefined
    return told === 0 && this.contentEvents > 0 ? undefined : told
  }

  /**
   * Where the upstream gives no usage, or counts its thinking in without saying how much that was,
   * each event with content counts as one token: engines send a token or more an event, so this
   * never bills too much. Some say 0 of any thinking.
   */
  private completionTokens(): number {
    const total = this.toldTokens
    if (total === undefined) return this.contentEvents
    const thought = this.usage?.completion_tokens_details?.reasoning_tokens ?? 0
    if (thought === 0) return this.reasoned ? this.contentEvents : total
    return this.isThoughtApart(total, thought) ? total : Math.max(0, total - thought)
  }

  /** xAI's service, and proxies of Google's, count what was thought beside the answer and not in it. */
  private isThoughtApart(total: number, thought: number): boolean {
    const { prompt_tokens, total_tokens } = this.usage ?? {}
    return thought > total || (prompt_tokens ?? 0) + total + thought === total_tokens
  }
}

/** How vLLM, SGLang, TensorRT-LLM, and the services of Mistral, DeepSeek, Zhipu and IBM end an answer that they gave up. */
const BROKEN =
  /^(abort|error|insufficient_system_resource|network_error|cancelled|timeout|time_limit)$/
/** The cap, the end of the context at Mistral's service and Zhipu's, and the cap as proxies of other protocols pass it on. */
const CUT_SHORT = /^(length|model_length|model_context_window_exceeded|max_tokens)$/
/** `sensitive` is Zhipu's. */
const WITHHELD = /^(content_filter|sensitive)$/
const TOOLS = /^(tool_calls|function_call)$/

const saysAny = (said: Words): boolean => Boolean(said?.content || said?.thinks)

const endedBy = (reason: string): EngineFault =>
  new EngineFault('engine', `upstream ended its answer with finish_reason ${reason}`)

function finishReasonOf(reason = ''): FinishReason {
  if (CUT_SHORT.test(reason)) return 'length'
  return WITHHELD.test(reason) ? 'content_filter' : 'stop'
}

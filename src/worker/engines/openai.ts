import { Agent, type Dispatcher } from 'undici'
import type { Log } from '../../telemetry/log.ts'
import { type Engine, EngineFault, type EngineJob, type Piece } from '../engine.ts'
import { countPromptTokens } from '../word-pieces.ts'
import { Beat } from './beat.ts'
import { UpstreamBody } from './upstream-body.ts'
import { statusFault } from './upstream-faults.ts'
import { UpstreamListing } from './upstream-listing.ts'
import type { WantedModel } from './upstream-models.ts'
import { UpstreamStream } from './upstream-stream.ts'
import { upstreamBase } from './upstream-url.ts'

export interface OpenAiOptions {
  /** Base address, such as `http://127.0.0.1:11434/v1`. */
  readonly url: string
  readonly apiKey: string
  /** What WORKER_MODELS asks for; empty: all that the upstream has. */
  readonly wanted: readonly WantedModel[]
  /** In tokens, where the operator knows better than the upstream tells. */
  readonly contextWindow?: number
  /** How long it may be silent before the first word. */
  readonly firstByteMs?: number
  /** How long it may fall silent in the middle of an answer. */
  readonly silenceMs?: number
  readonly log: Log
}

/** For `net.connect`: what an answer at rest brings stays in the kernel, so that one read brings it all. */
const SOCKET: object = { highWaterMark: 1 }
const FIRST_BYTE_MS = 120_000
const SILENCE_MS = 30_000
/** So long a stream that is done is read for its end, and one that has told all but that it is done for more. */
const LINGER_MS = 1_000
/** How long the usage of a whole answer may take. */
const USAGE_MS = 5_000
/** A connection that was closed meanwhile says so at once; one that breaks later had the request. */
const LOST_MS = 1_000
/** How far an estimate of tokens may be above the real count. */
const ESTIMATE_SLACK = 1.25

/** So much of a refusal is read, in bytes. */
const REFUSAL_BYTES_MAX = 64 * 1024

/** An answer whose first event has come. */
interface Begun {
  readonly body: UpstreamBody
  readonly stream: UpstreamStream
  readonly first: Piece
}

/** Any server that speaks the OpenAI chat completions protocol. */
export class OpenAiEngine implements Engine {
  readonly name: string
  private readonly base: string
  private readonly headers: Record<string, string>
  private readonly firstByteMs: number
  private readonly silenceMs: number
  private readonly connections: Agent
  private readonly beat = new Beat()
  private readonly listing: UpstreamListing

  /** @throws {ConfigError} where the address is not usable */
  constructor(options: OpenAiOptions) {
    this.silenceMs = options.silenceMs ?? SILENCE_MS
    this.firstByteMs = Math.max(options.firstByteMs ?? FIRST_BYTE_MS, this.silenceMs)
    this.base = upstreamBase(options.url)
    this.connections = new Agent({
      connections: null,
      connect: SOCKET,
      keepAliveTimeout: 30_000,
      headersTimeout: this.firstByteMs,
      // How long it may be silent hangs on what has come: UpstreamBody watches that.
      bodyTimeout: 0,
    })
    this.name = `openai ${new URL(this.base).host}`
    this.headers = {
      'content-type': 'application/json',
      ...(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}),
    }
    const { base, headers, connections } = this
    this.listing = new UpstreamListing({ ...options, base, headers, connections })
  }

  models(): Promise<ReadonlyMap<string, number>> {
    return this.listing.look()
  }

  async *generate(job: EngineJob, signal: AbortSignal): AsyncGenerator<Piece, void, void> {
    this.requireRoom(job)
    const { body, stream, first } = await this.open(job, signal)
    this.beat.enter()
    try {
      if (first.text !== '' || first.tokens > 0) yield first
      while (!stream.isDone) {
        await this.beat.rest()
        const bytes = await this.read(body, stream)
        if (!bytes) break
        yield stream.push(bytes)
      }
      const last = stream.end()
      yield { ...last, ending: stream.ending(countPromptTokens(job.messages)) }
    } catch (error) {
      throw brokenOff(error)
    } finally {
      this.beat.leave()
      // Some servers keep the connection open for a while after `[DONE]`.
      if (stream.isDone) body.leave(LINGER_MS)
      else body.stop()
    }
  }

  /** @returns undefined: the answer is over, in whatever way the connection ended */
  private async read(body: UpstreamBody, stream: UpstreamStream): Promise<Buffer | undefined> {
    const askedMs = performance.now()
    try {
      return await body.next(Math.max(0, this.patienceMs(stream) - stream.silentMs))
    } catch (error) {
      if (stream.isWhole) return undefined
      throw error
    } finally {
      stream.silentMs += performance.now() - askedMs
    }
  }

  private patienceMs(stream: UpstreamStream): number {
    // Some servers say no `[DONE]`, and keep the connection open.
    if (stream.isWhole) return Math.min(this.silenceMs, stream.hasUsage ? LINGER_MS : USAGE_MS)
    // A prompt is read in silence, and some send the headers of the answer before that.
    return stream.hasBegun ? this.silenceMs : this.firstByteMs
  }

  /** By estimate, and so only where the prompt is far too long: the exact count is the upstream's. */
  private requireRoom(job: EngineJob): void {
    const room = this.listing.get(job.model)?.contextWindow
    const tokens = countPromptTokens(job.messages)
    if (!room || tokens <= room * ESTIMATE_SLACK) return
    throw new EngineFault(
      'context_length',
      `the messages are about ${tokens} tokens, the context of ${job.model} is ${room} here`,
    )
  }

  async close(): Promise<void> {
    await this.connections.destroy()
  }

  /** Sends the request; resolves when the upstream has begun to answer. */
  private async open(job: EngineJob, signal: AbortSignal): Promise<Begun> {
    let less: Less = {}
    for (;;) {
      try {
        return await this.begin(await this.post(job, less, signal))
      } catch (error) {
        less = lessThan(less, error, job)
      }
    }
  }

  /** Reads up to the first event, which may be a refusal: some servers say 200 before they look. */
  private async begin(body: UpstreamBody): Promise<Begun> {
    const stream = new UpstreamStream()
    try {
      let first: Piece = { text: '', tokens: 0 }
      while (!stream.isStream) {
        const bytes = await this.read(body, stream)
        first = bytes ? stream.push(bytes) : stream.end()
      }
      return { body, stream, first }
    } catch (error) {
      body.stop()
      throw brokenOff(error)
    }
  }

  private async post(job: EngineJob, less: Less, signal: AbortSignal): Promise<UpstreamBody> {
    const url = `${this.base}/chat/completions`
    const { origin, pathname, search } = new URL(url)
    const request: Dispatcher.DispatchOptions = {
      origin,
      path: pathname + search,
      method: 'POST',
      headers: this.headers,
      body: JSON.stringify({ ...this.completionRequest(job), ...less }),
    }
    const { status, body } = await this.send(request, signal).catch((error: unknown) => {
      throw new EngineFault('engine', `${url} cannot be reached`, { cause: error })
    })
    if (status === 200) return body
    throw statusFault(status, await body.text(this.silenceMs, REFUSAL_BYTES_MAX))
  }

  /**
   * Resolves with the status. Servers close a connection that rests, many after five seconds; what is sent at
   * that moment is lost, and nobody has worked on it: it is sent once more.
   */
  private async send(
    request: Dispatcher.DispatchOptions,
    signal: AbortSignal,
  ): Promise<{ status: number; body: UpstreamBody }> {
    const sentMs = performance.now()
    const once = async () => {
      const body = new UpstreamBody(this.connections, request, signal)
      return { status: await body.begun(), body }
    }
    return once().catch((error: unknown) => {
      if (!isClosed(error) || performance.now() - sentMs > LOST_MS) throw error
      return once()
    })
  }

  private completionRequest({ model, messages, sampling, outputTokensMax }: EngineJob) {
    const { stop, ...numbers } = sampling
    return {
      model: this.listing.get(model)?.upstream ?? model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
      ...numbers,
      ...(stop && stop.length > 0 ? { stop } : {}),
      max_tokens: outputTokensMax,
    }
  }
}

/**
 * What is left out of a request that is refused for it, with what a refusal calls it by. All else would change
 * the answer.
 */
const OPTIONAL = {
  // Mistral's service, and servers from before mid-2024: they tell the usage unasked, or not at all.
  stream_options: /stream_options/,
  // Hosted services generate so many at the most, and refuse a cap above that: whoever asked for an open end
  // has not named it. Without one they stop at their own, and the agent at the cap.
  max_tokens: /max_(completion_|new_)?tokens/,
  // Mistral's and Google's services know none, and ours is their best effort.
  seed: /\bseed\b/,
} as const
type Optional = keyof typeof OPTIONAL
const TOO_LARGE = /request too large/i

/** What is left out of a request, and what is said in other words. */
type Less = { readonly [Field in Optional]?: undefined } & { readonly top_p?: number | undefined }

/** What to leave out of a request that was refused so without `less`. @throws `error`, where that would not help */
function lessThan(less: Less, error: unknown, { sampling }: EngineJob): Less {
  const fault = error instanceof EngineFault ? error : undefined
  const field = fault && refusedField(fault, less)
  if (field && !(field in less)) return { ...less, [field]: undefined }
  const isTopP = fault?.kind === 'invalid_request' && /\btop_?p\b/i.test(fault.message)
  if (!isTopP || 'top_p' in less) throw error
  // TGI and vLLM take none of its ends. Without it nothing is cut off, as with 1; a millionth leaves one
  // token to choose from, as 0 does.
  if (sampling.top_p === 1) return { ...less, top_p: undefined }
  if (sampling.top_p === 0) return { ...less, top_p: 0.000_001 }
  throw error
}

function refusedField({ kind, message }: EngineFault, less: Less): Optional | undefined {
  // Several servers refuse when prompt and max_tokens together pass the context, though the
  // prompt alone fits. Without a cap they stop at the context's end.
  if (kind === 'context_length') return 'max_tokens'
  // Groq's service counts the cap against what it allows in a minute, before a word is generated.
  if (kind === 'overloaded') return TOO_LARGE.test(message) ? 'max_tokens' : undefined
  if (kind !== 'invalid_request') return undefined
  const fields = Object.keys(OPTIONAL) as Optional[]
  return fields.find((field) => !(field in less) && OPTIONAL[field].test(message))
}

/** Undici's own code is for an end, the system's for a reset. */
const isClosed = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes((error as { code?: string }).code ?? '')

const brokenOff = (error: unknown): EngineFault =>
  error instanceof EngineFault
    ? error
    : new EngineFault('engine', 'the upstream broke off', { cause: error })

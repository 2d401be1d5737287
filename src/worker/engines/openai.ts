import { Agent, request } from 'undici'
import { z } from 'zod'
import type { Log } from '../../telemetry/log.ts'
import { type Engine, EngineFault, type EngineJob, type Piece } from '../engine.ts'
import { countPromptTokens } from '../word-pieces.ts'
import { Beat } from './beat.ts'
import { UpstreamBody } from './upstream-body.ts'
import { contextWindows, listedModel, type UpstreamEntry } from './upstream-context.ts'
import { parseJson, statusFault } from './upstream-faults.ts'
import { matchModels, type ServedModel, type WantedModel } from './upstream-models.ts'
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
const LIST_MS = 10_000
const FIRST_BYTE_MS = 120_000
const SILENCE_MS = 30_000
/** So long a stream that is done is read for its end. */
const LINGER_MS = 1_000
/** How far an estimate of tokens may be above the real count. */
const ESTIMATE_SLACK = 1.25

/** So much of a refusal is read, in bytes. */
const REFUSAL_BYTES_MAX = 64 * 1024

// Ollama without a model says null.
const listing = z.object({ data: z.array(listedModel).nullable() })

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
  /** As the last look found them. */
  private served: ReadonlyMap<string, ServedModel> = new Map()
  /** All that any look found, by id: a job goes on under the name it has, whatever a look finds meanwhile. */
  private readonly known = new Map<string, ServedModel>()
  private readonly firstByteMs: number
  private readonly silenceMs: number
  private readonly connections: Agent
  private readonly beat = new Beat()
  /** What was logged last of the models: they are looked at again and again. */
  private said = ''

  /** @throws {ConfigError} where the address is not usable */
  constructor(private readonly options: OpenAiOptions) {
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
  }

  async models(): Promise<ReadonlyMap<string, number>> {
    const url = `${this.base}/models`
    try {
      const listed = await this.list(url)
      const { served, skipped } = matchModels(listed, this.options.wanted)
      this.served = await this.withContext(served, listed)
      for (const [id, model] of this.served) this.known.set(id, model)
      const about = { url, skipped }
      if (served.size === 0) this.sayOnce('warn', about, NOTHING_TO_SERVE)
      else this.sayOnce('info', { ...about, models: [...served.keys()] }, 'upstream answers')
    } catch (error) {
      this.served = new Map()
      const message = 'upstream does not list its models: is it running, is --upstream right?'
      this.sayOnce('warn', { url, err: error }, message)
    }
    return new Map([...this.served.values()].map(({ id, contextWindow }) => [id, contextWindow]))
  }

  /** What the operator says of the context wins over what the upstream tells. */
  private async withContext(
    served: ReadonlyMap<string, ServedModel>,
    listed: readonly UpstreamEntry[],
  ): Promise<ReadonlyMap<string, ServedModel>> {
    const names = new Set([...served.values()].map(({ upstream }) => upstream))
    const said = this.options.contextWindow
    const told = said
      ? new Map<string, number>()
      : await contextWindows(
          listed.filter(({ id }) => names.has(id)),
          (path, body) => this.ask(path, body),
        )
    return new Map(
      [...served].map(([id, model]) => [
        id,
        { ...model, contextWindow: said || this.largest(id, told.get(model.upstream) ?? 0) },
      ]),
    )
  }

  /** Ollama tells the whole of it only while the model is loaded, and unloads it when idle. */
  private largest = (id: string, told: number): number =>
    Math.max(told, this.served.get(id)?.contextWindow ?? 0)

  private sayOnce(level: 'info' | 'warn', about: object, message: string): void {
    const said = JSON.stringify([message, { ...about, err: undefined }])
    if (said === this.said) return
    this.said = said
    this.options.log[level](about, message)
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
    try {
      // A prompt is read in silence, and some send the headers of the answer before that.
      return await body.next(stream.hasBegun ? this.silenceMs : this.firstByteMs)
    } catch (error) {
      if (stream.isWhole) return undefined
      throw error
    }
  }

  /** By estimate, and so only where the prompt is far too long: the exact count is the upstream's. */
  private requireRoom(job: EngineJob): void {
    const room = this.known.get(job.model)?.contextWindow
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

  /** Something that only this kind of upstream has; undefined where this one does not. */
  private async ask(path: string, body?: object): Promise<unknown> {
    const { statusCode, body: answer } = await request(this.base.replace(/\/v1$/, '') + path, {
      method: body ? 'POST' : 'GET',
      headers: this.headers,
      body: body ? JSON.stringify(body) : null,
      dispatcher: this.connections,
      signal: AbortSignal.timeout(LIST_MS),
    })
    const text = await answer.text()
    return statusCode === 200 ? parseJson(text) : undefined
  }

  private async list(url: string) {
    const { statusCode, body } = await request(url, {
      headers: this.headers,
      dispatcher: this.connections,
      signal: AbortSignal.timeout(LIST_MS),
    })
    const text = await body.text()
    if (statusCode !== 200) throw statusFault(statusCode, text)
    return listing.parse(JSON.parse(text)).data ?? []
  }

  /** Sends the request; resolves when the upstream has begun to answer. */
  private async open(job: EngineJob, signal: AbortSignal): Promise<Begun> {
    try {
      return await this.begin(await this.post(job, job.outputTokensMax, signal))
    } catch (error) {
      // Several servers refuse when prompt and max_tokens together pass the context, though the
      // prompt alone fits. Without a cap they stop at the context's end, and the agent at the cap.
      if (!(error instanceof EngineFault) || error.kind !== 'context_length') throw error
      return this.begin(await this.post(job, undefined, signal))
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

  private async post(
    job: EngineJob,
    maxTokens: number | undefined,
    signal: AbortSignal,
  ): Promise<UpstreamBody> {
    const url = `${this.base}/chat/completions`
    const { origin, pathname, search } = new URL(url)
    const body = new UpstreamBody(
      this.connections,
      {
        origin,
        path: pathname + search,
        method: 'POST',
        headers: this.headers,
        body: JSON.stringify(this.completionRequest(job, maxTokens)),
      },
      signal,
    )
    const status = await body.begun().catch((error: unknown) => {
      throw new EngineFault('engine', `${url} cannot be reached`, { cause: error })
    })
    if (status === 200) return body
    throw statusFault(status, await body.text(this.silenceMs, REFUSAL_BYTES_MAX))
  }

  private completionRequest({ model, messages, sampling }: EngineJob, maxTokens?: number) {
    const { stop, ...numbers } = sampling
    return {
      model: this.known.get(model)?.upstream ?? model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
      ...numbers,
      ...(stop && stop.length > 0 ? { stop } : {}),
      ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    }
  }
}

const NOTHING_TO_SERVE =
  'the upstream has none of the models wanted: name them with --models as id=upstream-name'

const brokenOff = (error: unknown): EngineFault =>
  error instanceof EngineFault
    ? error
    : new EngineFault('engine', 'the upstream broke off', { cause: error })

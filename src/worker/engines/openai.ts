import { Agent, type Dispatcher, request } from 'undici'
import { z } from 'zod'
import type { Log } from '../../telemetry/log.ts'
import { type Engine, EngineFault, type EngineJob, type Piece } from '../engine.ts'
import { countPromptTokens } from '../word-pieces.ts'
import { statusFault } from './upstream-faults.ts'
import { matchModels, type ServedModel, type WantedModel } from './upstream-models.ts'
import { UpstreamStream } from './upstream-stream.ts'

export interface OpenAiOptions {
  /** Base address, such as `http://127.0.0.1:11434/v1`. */
  readonly url: string
  readonly apiKey: string
  /** What WORKER_MODELS asks for; empty: all that the upstream has. */
  readonly wanted: readonly WantedModel[]
  readonly log: Log
}

const LIST_MS = 10_000
const FIRST_BYTE_MS = 120_000
const SILENCE_MS = 60_000

const listing = z.object({
  data: z.array(
    z.object({ id: z.string(), max_model_len: z.number().optional().catch(undefined) }),
  ),
})

/** Any server that speaks the OpenAI chat completions protocol. */
export class OpenAiEngine implements Engine {
  readonly name: string
  private readonly base: string
  private readonly headers: Record<string, string>
  private served: ReadonlyMap<string, ServedModel> = new Map()
  private readonly connections = new Agent({
    connections: null,
    keepAliveTimeout: 30_000,
    headersTimeout: FIRST_BYTE_MS,
    bodyTimeout: SILENCE_MS,
  })

  constructor(private readonly options: OpenAiOptions) {
    this.base = options.url.replace(/\/+$/, '')
    this.name = `openai ${new URL(this.base).host}`
    this.headers = {
      'content-type': 'application/json',
      ...(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}),
    }
  }

  async models(): Promise<ReadonlyMap<string, number>> {
    const { log, wanted } = this.options
    const url = `${this.base}/models`
    try {
      const listed = await this.list(url)
      const { served, skipped } = matchModels(listed, wanted)
      this.served = served
      if (skipped.length > 0) log.info({ skipped }, 'upstream has models that are not served')
      if (served.size === 0) {
        log.warn({ url, listed: listed.map(({ id }) => id) }, NOTHING_TO_SERVE)
      }
    } catch (error) {
      this.served = new Map()
      log.warn({ url, err: error }, 'upstream does not list its models: is UPSTREAM_URL right?')
    }
    return new Map([...this.served.values()].map(({ id, contextWindow }) => [id, contextWindow]))
  }

  async *generate(job: EngineJob, signal: AbortSignal): AsyncGenerator<Piece, void, void> {
    const body = await this.open(job, signal)
    const stream = new UpstreamStream()
    try {
      for await (const bytes of body) {
        yield stream.push(bytes)
        // Some servers keep the connection open for a while after `[DONE]`.
        if (stream.isDone) break
      }
      const last = stream.end()
      yield { ...last, ending: stream.ending(countPromptTokens(job.messages)) }
    } catch (error) {
      if (error instanceof EngineFault) throw error
      throw new EngineFault('engine', 'the upstream broke off', { cause: error })
    } finally {
      body.destroy()
    }
  }

  async close(): Promise<void> {
    await this.connections.destroy()
  }

  private async list(url: string) {
    const { statusCode, body } = await request(url, {
      headers: this.headers,
      dispatcher: this.connections,
      signal: AbortSignal.timeout(LIST_MS),
    })
    const text = await body.text()
    if (statusCode !== 200) throw statusFault(statusCode, text)
    return listing.parse(JSON.parse(text)).data
  }

  /** Sends the request; resolves when the upstream has begun to answer. */
  private async open(
    job: EngineJob,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData['body']> {
    try {
      return await this.post(job, job.outputTokensMax, signal)
    } catch (error) {
      // Several servers refuse when prompt and max_tokens together pass the context, though the
      // prompt alone fits. Without a cap they stop at the context's end, and the agent at the cap.
      if (!(error instanceof EngineFault) || error.kind !== 'context_length') throw error
      return this.post(job, undefined, signal)
    }
  }

  private async post(
    job: EngineJob,
    maxTokens: number | undefined,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData['body']> {
    const url = `${this.base}/chat/completions`
    const sent = await request(url, {
      method: 'POST',
      headers: this.headers,
      body: JSON.stringify(this.completionRequest(job, maxTokens)),
      dispatcher: this.connections,
      signal,
    }).catch((error: unknown) => {
      throw new EngineFault('engine', `${url} cannot be reached`, { cause: error })
    })
    if (sent.statusCode === 200) return sent.body
    throw statusFault(sent.statusCode, await sent.body.text())
  }

  private completionRequest({ model, messages, sampling }: EngineJob, maxTokens?: number) {
    const { stop, ...numbers } = sampling
    return {
      model: this.served.get(model)?.upstream ?? model,
      messages,
      ...numbers,
      ...(stop && stop.length > 0 ? { stop } : {}),
      ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
      stream: true,
      stream_options: { include_usage: true },
    }
  }
}

const NOTHING_TO_SERVE =
  'none of the upstream models is in the catalogue: name them in WORKER_MODELS as id=upstream-name'

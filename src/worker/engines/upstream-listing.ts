import { type Agent, request } from 'undici'
import { z } from 'zod'
import type { Log } from '../../telemetry/log.ts'
import { EngineFault } from '../engine.ts'
import {
  contextWindows,
  listedModel,
  stillLoads,
  type ToldContext,
  type UpstreamEntry,
} from './upstream-context.ts'
import { parseJson, statusFault } from './upstream-faults.ts'
import { matchModels, type ServedModel, type WantedModel } from './upstream-models.ts'

interface Options {
  /** Ends in /v1. */
  readonly base: string
  readonly headers: Record<string, string>
  readonly connections: Agent
  readonly wanted: readonly WantedModel[]
  readonly contextWindow?: number
  readonly log: Log
}

/** What a log line has beside its words. */
type About = Readonly<Record<string, unknown>>

const LIST_MS = 10_000

const models = z.array(listedModel)
// Ollama without a model says null, Together's service tells the list bare.
const listing = z.union([
  z.object({ data: models.nullable() }),
  models.transform((data) => ({ data })),
])

/** Which models the upstream has, under which names, with how much context. Looked at again and again. */
export class UpstreamListing {
  /** As the last look found them. */
  private served: ReadonlyMap<string, ServedModel> = new Map()
  /** All that any look found, by id: a job goes on under the name it has, whatever a look finds meanwhile. */
  private readonly known = new Map<string, ServedModel>()
  /** Contexts that the upstream was sure of, by id, for as long as it has the model. */
  private readonly sure = new Map<string, number>()
  /** What was logged last: most looks find what the one before found. */
  private said = ''

  constructor(private readonly options: Options) {}

  /** Model id to context window. Never rejects: one that does not answer serves nothing, one without room what it did. */
  async look(): Promise<ReadonlyMap<string, number>> {
    const url = `${this.options.base}/models`
    try {
      const all = await this.list(url)
      const listed = all.filter((entry) => !stillLoads(entry))
      const { served, skipped } = matchModels(listed, this.options.wanted)
      for (const id of this.sure.keys()) if (!served.has(id)) this.sure.delete(id)
      this.served = await this.withContext(served, listed)
      for (const [id, model] of this.served) this.known.set(id, model)
      const about = { url, skipped }
      if (listed.length < all.length) this.sayOnce('info', { url }, LOADING)
      else if (served.size === 0) this.sayOnce('warn', about, NOTHING_TO_SERVE)
      else this.sayOnce('info', { ...about, models: [...served.keys()] }, 'upstream answers')
    } catch (error) {
      // Who has too much to do has its models all the same.
      if (!isOverloaded(error)) {
        this.served = new Map()
        this.sure.clear()
      }
      this.sayOnce(
        'warn',
        { url, err: error },
        `upstream does not list its models: ${whatToDo(error)}`,
      )
    }
    return new Map([...this.served.values()].map(({ id, contextWindow }) => [id, contextWindow]))
  }

  /** As any look found it. */
  get(id: string): ServedModel | undefined {
    return this.known.get(id)
  }

  /** What the operator says of the context wins over what the upstream tells. */
  private async withContext(
    served: ReadonlyMap<string, ServedModel>,
    listed: readonly UpstreamEntry[],
  ): Promise<ReadonlyMap<string, ServedModel>> {
    const names = new Set([...served.values()].map(({ upstream }) => upstream))
    const said = this.options.contextWindow
    const told = said
      ? new Map<string, ToldContext>()
      : await contextWindows(
          listed.filter(({ id }) => names.has(id)),
          (path, body) => this.ask(path, body),
        )
    return new Map(
      [...served].map(([id, model]) => [
        id,
        { ...model, contextWindow: said || this.contextOf(id, told.get(model.upstream)) },
      ]),
    )
  }

  /**
   * What it ran with when it was sure of that: Ollama is of a loaded model alone, and unloads it when idle. Else its
   * word as it is: one that was started anew may have less.
   */
  private contextOf(id: string, { tokens, isSure }: ToldContext = { tokens: 0, isSure: false }) {
    if (isSure) this.sure.set(id, tokens)
    return this.sure.get(id) ?? tokens
  }

  private sayOnce(level: 'info' | 'warn', about: About, message: string): void {
    // Its words count: one that came up after all may refuse the key, and needs other advice.
    const words = about.err instanceof Error ? about.err.message : undefined
    const said = JSON.stringify([message, { ...about, err: words }])
    if (said === this.said) return
    this.said = said
    this.options.log[level](about, message)
  }

  /** Something that only this kind of upstream has; undefined where this one does not. */
  private async ask(path: string, body?: object): Promise<unknown> {
    const { statusCode, body: answer } = await request(
      this.options.base.replace(/\/v1$/, '') + path,
      {
        method: body ? 'POST' : 'GET',
        headers: this.options.headers,
        body: body ? JSON.stringify(body) : null,
        dispatcher: this.options.connections,
        signal: AbortSignal.timeout(LIST_MS),
      },
    )
    const text = await answer.text()
    return statusCode === 200 ? parseJson(text) : undefined
  }

  private async list(url: string) {
    const { statusCode, body } = await request(url, {
      headers: this.options.headers,
      dispatcher: this.options.connections,
      signal: AbortSignal.timeout(LIST_MS),
    })
    const text = await body.text()
    if (statusCode !== 200) throw statusFault(statusCode, text)
    const listed = listing.safeParse(parseJson(text))
    if (listed.success) return listed.data.data ?? []
    throw new EngineFault(
      'engine',
      'upstream answered 200 with something that is no list of models',
    )
  }
}

const isOverloaded = (error: unknown): boolean =>
  error instanceof EngineFault && error.kind === 'overloaded'

/** Of OpenSSL, by Node's names. */
const UNTRUSTED = /SELF_SIGNED_CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/

function whatToDo(error: unknown): string {
  if (isOverloaded(error)) return 'it has too much to do. What it had before is offered on'
  if (error instanceof EngineFault) {
    return 'it answers with something else: is --upstream right? It mostly ends in /v1'
  }
  const code = (error as { code?: unknown }).code
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return 'it does not speak TLS at this address: give --upstream http://, or another port'
  }
  return typeof code === 'string' && UNTRUSTED.test(code)
    ? 'this machine does not trust whoever signed its certificate: name the file with the certificate of ' +
        'that authority in the variable NODE_EXTRA_CA_CERTS'
    : 'is it running, is --upstream right?'
}

const LOADING = 'the upstream still loads its model: it is offered once that is there'
const NOTHING_TO_SERVE =
  'the upstream has none of the models wanted: name them with --models as id=upstream-name'

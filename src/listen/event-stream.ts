import { setTimeout as sleep } from 'node:timers/promises'
import { type Dispatcher, request } from 'undici'
import { type ServerSentEvent, serverSentEvents } from './server-sent-events.ts'
import { StopListening } from './stop-listening.ts'

interface Options {
  readonly url: string
  readonly apiKey: string
  /** Ends the stream. */
  readonly signal: AbortSignal
  /** The stream is open: at the beginning, and after each cut. */
  onOpen(): void
  /** The next event is read when it has resolved, and not again. */
  onEvent(data: string): Promise<void>
  /** It is not open at the moment, for this reason; it is tried again after so long. */
  onTrouble(reason: string, waitMs: number): void
}

/** The service says something every 10 s. */
const SILENCE_MS = 35_000
const WAIT_MOST_MS = 10_000

/** A cut that is no matter: the stream is opened again. */
class Trouble extends Error {
  constructor(
    message: string,
    readonly retryAfterMs = 0,
  ) {
    super(message)
  }
}

/**
 * Reads events until `signal`, over as many connections as it takes: each begins after the last event
 * that was handed over. @throws {StopListening} the service refuses for good
 */
export async function followEvents(options: Options): Promise<void> {
  const { signal, onTrouble } = options
  const place: Place = { lastId: undefined, progress: false }
  for (let failures = 0; !signal.aborted; failures++) {
    place.progress = false
    try {
      await readOnce(options, place)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof Trouble)) throw error
      if (place.progress) failures = 0
      const waitMs = Math.max(error.retryAfterMs, Math.min(500 * 2 ** failures, WAIT_MOST_MS))
      onTrouble(error.message, waitMs)
      await sleep(waitMs, undefined, { signal }).catch(() => {}) // ended meanwhile
    }
  }
}

interface Place {
  /** Of the last event that was handed over. */
  lastId: string | undefined
  progress: boolean
}

async function readOnce({ url, apiKey, signal, ...options }: Options, place: Place): Promise<void> {
  const connection = new AbortController()
  const fallSilent = () => connection.abort(new Trouble('the service fell silent'))
  const listenOn = () => setTimeout(fallSilent, SILENCE_MS)
  let timer = listenOn()
  try {
    // Node's own fetch may lose its signal to the garbage collector while a stream is open.
    const response = await request(url, {
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'text/event-stream',
        ...(place.lastId === undefined ? {} : { 'last-event-id': place.lastId }),
      },
      signal: AbortSignal.any([signal, connection.signal]),
    })
    const { statusCode, headers, body } = response
    if (statusCode !== 200) throw await refusalOf(url, response)
    if (!String(headers['content-type']).startsWith('text/event-stream')) {
      throw new StopListening(`${url} answers with something else than events: check --base-url`)
    }
    options.onOpen()
    for await (const event of serverSentEvents(body)) {
      clearTimeout(timer)
      place.progress = true
      await take(event, options.onEvent)
      place.lastId = event.id ?? place.lastId
      timer = listenOn()
    }
    throw new Trouble('the service has ended the stream')
  } catch (error) {
    if (error instanceof Trouble || error instanceof StopListening) throw error
    throw new Trouble(reasonOf(error))
  } finally {
    clearTimeout(timer)
    connection.abort()
  }
}

async function take({ event, data }: ServerSentEvent, onEvent: Options['onEvent']): Promise<void> {
  if (data === undefined) return
  if (event !== 'error') return onEvent(data)
  const { code, message } = errorOf(data)
  throw FINAL_CODES.has(code) ? new StopListening(message) : new Trouble(message)
}

const FINAL_CODES: ReadonlySet<string> = new Set(['invalid_api_key', 'key_suspended'])

/** What another try heals, or does not. */
async function refusalOf(url: string, response: Dispatcher.ResponseData): Promise<Error> {
  const { statusCode, headers, body } = response
  const { message } = errorOf(await body.text())
  const said = message || `the service answers ${statusCode}`
  // A proxy may say a date: then as without a word.
  const seconds = Number(headers['retry-after']) || 0
  if (statusCode === 429 || statusCode >= 500) return new Trouble(said, seconds * 1_000)
  return new StopListening(message ? said : `${url} answers ${statusCode}: check --base-url`)
}

function errorOf(text: string): { readonly code: string; readonly message: string } {
  try {
    const { error } = JSON.parse(text)
    return { code: String(error.code), message: String(error.message) }
  } catch {
    return { code: '', message: '' } // not of this service: a proxy's own page
  }
}

/** Some clients' own words are "fetch failed" alone, or none: the cause, or its code, says why. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? error.cause : error
  return cause.message || ('code' in cause ? String(cause.code) : error.message)
}

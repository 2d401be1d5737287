import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { isIPv6 } from 'node:net'
import { LIMITS } from '../domain/limits.ts'
import type { DurationMs } from '../domain/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { WebhookAnswer, WebhookPost, WebhookSender } from '../ports/webhook-sender.ts'
import { failureText, statusText } from './failure-text.ts'
import type { Admitted, Guard } from './guard.ts'

interface Options {
  readonly guard: Pick<Guard, 'admit'>
  readonly clock: Pick<Clock, 'monotonic' | 'after'>
  /** Of the whole attempt, from the look at the target to the last byte of the answer. */
  readonly attemptMs?: DurationMs
  /** Certificates of authorities to trust in place of the public ones; for tests. */
  readonly ca?: string
}

/** More than this of an answer is not read: the status is what counts. */
const READ_BYTES_MAX = 16 * 1024
const KEPT_BYTES_MAX = 1024
const HEADER_BYTES_MAX = 16 * 1024
/**
 * For one of several addresses. Node gives up on each but the last after 250 ms, which a far endpoint does not keep,
 * nor this process where it stands still: where the last one leads nowhere, none would be reached.
 */
const CONNECT_MS = 2_000
const CONNECTION = { keepAlive: false, autoSelectFamilyAttemptTimeout: CONNECT_MS }
/** TLS sessions to resume, a few KiB each. */
const SESSIONS_MAX = 2_000

/**
 * Sends over a new connection each time: it goes to an address that was checked for this attempt, and
 * never meets one that the endpoint has closed meanwhile. TLS sessions are resumed.
 */
export function makeWebhookSender(options: Options): WebhookSender {
  const { guard, clock, attemptMs = LIMITS.webhookAttemptMs, ca } = options
  const agents = {
    'http:': new HttpAgent(CONNECTION),
    'https:': new HttpsAgent({
      ...CONNECTION,
      maxCachedSessions: SESSIONS_MAX,
      ...(ca === undefined ? {} : { ca }),
    }),
  }
  const running = new Set<AbortController>()

  return {
    send: async (post) => {
      const startedAt = clock.monotonic()
      const attempt = new AbortController()
      running.add(attempt)
      const cancel = clock.after(attemptMs, () => attempt.abort(new TooSlow()))
      try {
        const outcome = await Promise.race([
          exchange(guard, agents, post, attempt.signal),
          aborted(attempt.signal),
        ])
        return { ...outcome, latencyMs: Math.round(clock.monotonic() - startedAt) }
      } finally {
        cancel()
        running.delete(attempt)
        attempt.abort()
      }
    },
    close: async () => {
      for (const attempt of running) attempt.abort(new Error('the sender goes down'))
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }

  /** What an attempt comes to that is cut. */
  function aborted(signal: AbortSignal): Promise<Outcome> {
    return new Promise((resolve) => {
      signal.addEventListener('abort', () =>
        resolve(
          failed(
            signal.reason instanceof TooSlow
              ? `no complete answer within ${attemptMs / 1_000} s`
              : 'the attempt was cut short',
          ),
        ),
      )
    })
  }
}

class TooSlow extends Error {}

type Outcome = Omit<WebhookAnswer, 'latencyMs'>
interface Agents {
  readonly 'http:': HttpAgent
  readonly 'https:': HttpsAgent
}

async function exchange(
  guard: Pick<Guard, 'admit'>,
  agents: Agents,
  post: WebhookPost,
  signal: AbortSignal,
): Promise<Outcome> {
  const admitted = await guard.admit(post.url)
  if (!admitted.ok) return failed(admitted.error)
  signal.throwIfAborted()
  try {
    const response = await answerTo(post, admitted.value, agents, signal)
    const status = response.statusCode ?? 0
    // A status is an answer, even where the rest of it never comes; what is late is none.
    const answerStart = await readStart(response).catch((error: unknown) => {
      if (signal.aborted) throw error
      return ''
    })
    const delivered = status >= 200 && status < 300
    return { delivered, status, error: delivered ? null : statusText(status), answerStart }
  } catch (error) {
    return failed(failureText(error))
  }
}

const failed = (error: string): Outcome => ({
  delivered: false,
  status: null,
  error,
  answerStart: '',
})

function answerTo(
  post: WebhookPost,
  { target, addresses }: Admitted,
  agents: Agents,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isTls = target.url.protocol === 'https:'
  const body = Buffer.from(post.body, 'utf8')
  return new Promise((resolve, reject) => {
    const request = (isTls ? requestHttps : requestHttp)(
      target.url,
      {
        method: 'POST',
        agent: isTls ? agents['https:'] : agents['http:'],
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'content-length': body.length,
          'user-agent': USER_AGENT,
          accept: '*/*',
          ...post.headers,
        },
        lookup: only(addresses),
        maxHeaderSize: HEADER_BYTES_MAX,
        signal,
      },
      resolve,
    )
    request.on('error', reject)
    // Node takes 101 for no answer: the attempt would wait out its time, and its owner be told of that.
    request.on('upgrade', (response) => {
      response.destroy()
      resolve(response)
    })
    request.end(body)
  })
}

const USER_AGENT = 'prepaid-inference-webhooks/1'

/** In place of resolving a name again, which by now might lead elsewhere. */
const only =
  (addresses: readonly string[]): LookupFunction =>
  (_host, { all }, done) => {
    const entries = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
    const [first] = entries
    if (all || !first) done(null, entries)
    else done(null, first.address, first.family)
  }

/** The first bytes, as they came: nothing is decompressed. The connection ends with it. */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= READ_BYTES_MAX) break
  }
  return startOfText(Buffer.concat(chunks))
}

/** Whole characters only. What is no text is shown as such by the replacement character. */
function startOfText(bytes: Buffer): string {
  return new TextDecoder().decode(bytes.subarray(0, KEPT_BYTES_MAX), {
    stream: bytes.length > KEPT_BYTES_MAX,
  })
}

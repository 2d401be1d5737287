import { createHash } from 'node:crypto'
import type { Network } from '../network/network.ts'
import { until } from '../until.ts'

/** What a caller knows of a network. */
export type Reached = Pick<Network, 'base_urls' | 'api_key'>

/** One request to a network under fault, and what its caller saw. */
export type Call = Whole | Refused | Torn | Broken

interface Timed {
  readonly tookMs: number
}
/** The whole answer. */
export interface Whole extends Timed {
  readonly type: 'whole'
  readonly jobId: string
  readonly text: string
  readonly headers: Headers
}
/** An error in the one envelope, before any text. */
export interface Refused extends Timed {
  readonly type: 'refused'
  readonly status: number
  readonly error: PublicError
  readonly jobId: string | null
  readonly headers: Headers
}
/** A stream that ended with an error event and no `[DONE]`. */
export interface Torn extends Timed {
  readonly type: 'torn'
  readonly error: PublicError
  readonly jobId: string
  readonly text: string
}
/** The connection was lost, or what came is no answer at all. */
export interface Broken extends Timed {
  readonly type: 'broken'
  readonly why: string
}

export interface PublicError {
  readonly code: string
  readonly message: string
  readonly type: string
  readonly details?: Readonly<Record<string, string | number>>
}

export interface Ask {
  readonly model?: string
  readonly stream?: boolean
  readonly maxTokens?: number
  /** Of `base_urls`. */
  readonly edge?: number
  readonly signal?: AbortSignal
  readonly deadlineMs?: number
  /** Called with the id of the job once headers are there. */
  readonly begun?: (jobId: string) => void
}

/** Two workers of a network of two serve it. */
export const MODEL = 'Qwen/Qwen3-8B'
/** Worker 2 of a network of two serves it, and no other. */
export const LONE_MODEL = 'meta-llama/Llama-3.3-70B-Instruct'
const DEADLINE_MS = 60_000

export async function ask(network: Reached, options: Ask = {}): Promise<Call> {
  const startedAt = performance.now()
  const took = () => performance.now() - startedAt
  try {
    const answer = await post(network, options)
    const jobId = answer.headers.get('x-svc-job-id')
    if (jobId) options.begun?.(jobId)
    const { headers, status } = answer
    if (!answer.ok) {
      const { error } = (await answer.json()) as { error: PublicError }
      return { type: 'refused', status, error, jobId, headers, tookMs: took() }
    }
    if (!jobId) throw new Error('an answer without a job id')
    const read = options.stream ? readStream(await answer.text()) : readPlain(await answer.json())
    return typeof read === 'string'
      ? { type: 'whole', jobId, text: read, headers, tookMs: took() }
      : { type: 'torn', jobId, ...read, tookMs: took() }
  } catch (error) {
    return { type: 'broken', why: wholeReason(error), tookMs: took() }
  }
}

export function post(network: Reached, options: Ask): Promise<Response> {
  const { model = MODEL, stream = false, maxTokens, edge = 0, deadlineMs = DEADLINE_MS } = options
  const deadline = AbortSignal.timeout(deadlineMs)
  return fetch(`${network.base_urls[edge]}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${network.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      stream,
      messages: [{ role: 'user', content: 'Say something.' }],
      ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    }),
    signal: options.signal ? AbortSignal.any([options.signal, deadline]) : deadline,
  })
}

function readPlain(body: unknown): string {
  const { choices } = body as { choices: [{ message: { content: string } }] }
  return choices[0].message.content
}

interface StreamEvent {
  readonly error?: PublicError
  readonly choices?: readonly { readonly delta: { readonly content?: string } }[]
  readonly svc?: { readonly output_hash: string }
}

/** @returns the text, or how it was torn @throws where the stream is neither */
function readStream(body: string): string | { error: PublicError; text: string } {
  const lines = body.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line] : []))
  const done = lines.at(-1) === 'data: [DONE]'
  const events = (done ? lines.slice(0, -1) : lines).map(
    (line): StreamEvent => JSON.parse(line.slice('data: '.length)),
  )
  const text = events.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('')
  const error = events.at(-1)?.error
  if (error) {
    if (done) throw new Error('[DONE] after an error')
    return { error, text }
  }
  if (!done) throw new Error(`a stream that just ended after ${events.length} events`)
  const told = events.find(({ svc }) => svc)?.svc?.output_hash
  if (told !== hashOf(text)) throw new Error(`text of hash ${hashOf(text)}, but told ${told}`)
  return text
}

/** As the specification has it: SHA-256 of the text without trailing newlines. */
export const hashOf = (text: string): string =>
  `sha256:${createHash('sha256').update(text.replace(/\n+$/, '')).digest('hex')}`

export interface PublicJob {
  readonly id: string
  readonly status: string
  readonly credits_charged: number
  readonly worker_address: string | null
  readonly usage: { readonly completion_tokens: number } | null
  readonly on_chain: {
    readonly escrow_tx: string | null
    readonly settlement_tx: string | null
    readonly refund_tx: string | null
    readonly proof_hash: string | null
  }
}

export async function getJob(network: Reached, id: string, edge = 0): Promise<PublicJob> {
  const answer = await fetch(`${network.base_urls[edge]}/jobs/${id}`, {
    headers: { authorization: `Bearer ${network.api_key}` },
    signal: AbortSignal.timeout(30_000),
  })
  if (!answer.ok) throw new Error(`${id}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as PublicJob
}

/** Waits for a job to come to `status`. @throws with the last state that was seen */
export async function untilStatus(
  network: Reached,
  id: string,
  status: string,
  withinMs?: number,
): Promise<PublicJob> {
  let job: PublicJob | undefined
  return until(
    () => `${status}: ${JSON.stringify(job)}`,
    async () => {
      job = await getJob(network, id)
      return job.status === status && job
    },
    withinMs,
  )
}

/** `fetch` hides the reason below "fetch failed". */
function wholeReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `: ${wholeReason(error.cause)}`
  return `${error.message}${cause}`
}

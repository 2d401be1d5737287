import { type IncomingMessage, request } from 'node:http'
import type { MixedCaller } from '../e2e/mixed/callers.ts'
import type { Completion, Refused } from '../e2e/public-shapes.ts'
import { streamed } from '../e2e/streamed.ts'

/** One request of the load and all that its caller got, kept to be checked against chain and job. */
export interface Kept {
  readonly caller: MixedCaller
  readonly what: string
  /** Idempotency-Key */
  readonly key: string | undefined
  /** performance.now() */
  readonly askedAt: number
  readonly endedAt: number
  readonly jobId: string | null
  readonly lockTx: string | null
  readonly settlementTx: string | null
  readonly worker: string | null
  readonly got: Got
}

export type Got =
  | {
      readonly type: 'whole'
      readonly text: string
      readonly tokens: number | null
      readonly charged: number | null
    }
  | { readonly type: 'refused'; readonly status: number; readonly error: Refused }
  /** A stream that said in the end that it failed. */
  | { readonly type: 'torn'; readonly error: Refused }
  /** No answer: nobody took the connection, or it was lost, or the caller left. */
  | { readonly type: 'lost'; readonly why: string; readonly how: 'left' | 'not taken' | 'broken' }
  /** What the specification does not know: this is always wrong. */
  | { readonly type: 'nonsense'; readonly why: string }

export interface Question {
  readonly what: string
  readonly model: string
  readonly stream: boolean
  readonly edge: number
  readonly maxTokens?: number
  /** The caller leaves after so long. */
  readonly leavesAfterMs?: number
  readonly idempotencyKey?: string
}

/** Beyond the longest window and all that a host may add to it: whoever waits longer was forgotten. */
const FORGOTTEN_MS = 180_000

export async function keep(caller: MixedCaller, question: Question): Promise<Kept> {
  const askedAt = performance.now()
  const left = new AbortController()
  const timers = [
    setTimeout(() => left.abort(new Error('forgotten')), FORGOTTEN_MS),
    question.leavesAfterMs === undefined
      ? undefined
      : setTimeout(() => left.abort(new Error('left')), question.leavesAfterMs),
  ]
  let heard: IncomingMessage | undefined
  const kept = (got: Got): Kept => {
    const header = (name: string) => {
      const value = heard?.headers[name] ?? heard?.trailers[name]
      return typeof value === 'string' ? value : null
    }
    return {
      caller,
      what: question.what,
      key: question.idempotencyKey,
      askedAt,
      endedAt: performance.now(),
      jobId: header('x-svc-job-id'),
      lockTx: header('x-svc-tx-hash'),
      settlementTx: header('x-svc-settlement-tx'),
      worker: header('x-svc-worker'),
      got,
    }
  }
  try {
    heard = await begin(caller, question, left.signal)
    const text = await readAll(heard)
    return kept(gotOf(heard.statusCode ?? 0, text, question.stream))
  } catch (error) {
    const reason = left.signal.aborted ? left.signal.reason : error
    const why = reason instanceof Error ? reason.message : String(reason)
    if (why === 'forgotten')
      return kept({ type: 'nonsense', why: `no end after ${FORGOTTEN_MS} ms` })
    const how = why === 'left' ? 'left' : why.includes('ECONNREFUSED') ? 'not taken' : 'broken'
    return kept({ type: 'lost', why, how })
  } finally {
    for (const timer of timers) clearTimeout(timer)
  }
}

function begin({ network }: MixedCaller, asked: Question, signal: AbortSignal) {
  const url = `${network.base_urls[asked.edge % network.base_urls.length]}/chat/completions`
  return new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      agent: false,
      signal,
      headers: {
        authorization: `Bearer ${network.api_key}`,
        'content-type': 'application/json',
        ...(asked.idempotencyKey ? { 'idempotency-key': asked.idempotencyKey } : {}),
      },
    })
    outgoing.on('error', reject).on('response', resolve)
    outgoing.end(
      JSON.stringify({
        model: asked.model,
        stream: asked.stream,
        messages: [{ role: 'user', content: 'Say something.' }],
        ...(asked.maxTokens === undefined ? {} : { max_tokens: asked.maxTokens }),
      }),
    )
  })
}

/** @throws where the connection ends before the answer does */
function readAll(answer: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    answer.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    answer.on('error', reject).on('end', () => resolve(text))
  })
}

function gotOf(status: number, text: string, isStream: boolean): Got {
  try {
    if (status !== 200) {
      const { error } = JSON.parse(text) as { error: Refused }
      if (typeof error.code !== 'string') throw new Error('no code')
      return { type: 'refused', status, error }
    }
    return isStream ? streamGot(text) : plainGot(text)
  } catch (error) {
    return { type: 'nonsense', why: `${status} ${String(error)}: ${text.slice(0, 300)}` }
  }
}

function plainGot(text: string): Got {
  const { choices, usage } = JSON.parse(text) as Completion
  const { content } = choices[0].message
  return { type: 'whole', text: content, tokens: usage.completion_tokens, charged: null }
}

function streamGot(text: string): Got {
  const {
    error,
    isDone,
    service,
    text: answer,
  } = streamed({ status: 200, headers: {}, trailers: {}, text })
  if (error) return { type: 'torn', error }
  if (!isDone) return { type: 'nonsense', why: 'a stream that just ended' }
  return { type: 'whole', text: answer, tokens: null, charged: service?.credits_charged ?? null }
}

export const hasLeft = ({ got }: Kept): boolean => got.type === 'lost' && got.how === 'left'

/** As tables name it. */
export function nameOfGot({ got }: Kept): string {
  switch (got.type) {
    case 'whole':
      return '200'
    case 'refused':
      return `${got.status} ${got.error.code}`
    case 'torn':
      return `torn ${got.error.code}`
    case 'lost':
      return got.how
    case 'nonsense':
      return 'nonsense'
  }
}

import { serviceNames } from '../../../../domain/service-names.ts'
import type { WebConfig } from '../../../api.ts'
import { ApiFailure, Unreachable } from '../../api/failure.ts'
import { sseData } from './sse-data.ts'

export interface ChatMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
}
export interface ChatRequest {
  readonly web: WebConfig
  readonly apiKey: string
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly maxTokens: number
  /** Aborted: the person has read enough. */
  readonly stop: AbortSignal
}
export interface ChatListener {
  /** The request has become a job. */
  job(id: string): void
  text(piece: string): void
}
/** What the last chunk says of the job. */
export interface ChatReceipt {
  readonly job_id: string
  readonly escrow_tx: string | null
  /** Null: it was not known yet when the answer ended. */
  readonly settlement_tx: string | null
  readonly worker: string
  readonly credits_charged: number
  readonly credits_remaining: number | null
  readonly output_hash: string
}

const DONE = '[DONE]'
const MAY_COST = { wasSent: true, isMoney: true } as const
/** Beyond the job's window: for the way there and back. */
const MARGIN_MS = 30_000
const MS = 1_000
/** Of what breaks after an answer has begun: that its status was 200 says nothing then, and it is not the caller's fault. */
const FAILED = 500

/**
 * Asks the public API as every client does, from the browser.
 * @throws ApiFailure when it refuses, Unreachable when it is silent or breaks off
 */
export async function streamChat(
  request: ChatRequest,
  listener: ChatListener,
): Promise<ChatReceipt | null> {
  const response = await ask(request)
  const { headers, object } = serviceNames(request.web.service_prefix)
  const jobId = response.headers.get(headers.jobId)
  if (jobId !== null) listener.job(jobId)
  if (!response.ok || !response.body) throw await refusalOf(response)
  let receipt: ChatReceipt | null = null
  try {
    for await (const data of sseData(response.body)) {
      if (data === DONE) return receipt
      const chunk = JSON.parse(data)
      if (chunk.error) throw failureOf(chunk.error, { status: FAILED, headers: response.headers })
      const piece = chunk.choices?.[0]?.delta?.content
      if (typeof piece === 'string' && piece !== '') listener.text(piece)
      receipt = chunk[object] ?? receipt
    }
  } catch (error) {
    if (error instanceof ApiFailure || request.stop.aborted) throw error
    throw new Unreachable('The answer broke off.', { ...MAY_COST, cause: error })
  }
  throw new Unreachable('The answer broke off.', MAY_COST)
}

async function ask({ web, apiKey, model, messages, maxTokens, stop }: ChatRequest) {
  const deadline = AbortSignal.timeout(web.job_window_seconds * MS + MARGIN_MS)
  try {
    return await fetch(`${web.base_url}/chat/completions`, {
      method: 'POST',
      credentials: 'omit',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages, max_tokens: maxTokens, stream: true }),
      signal: AbortSignal.any([stop, deadline]),
    })
  } catch (cause) {
    if (stop.aborted) throw cause
    throw new Unreachable(`The public API at ${web.base_url} did not answer.`, {
      ...MAY_COST,
      cause,
    })
  }
}

async function refusalOf(response: Response): Promise<ApiFailure> {
  // A proxy in between may say anything.
  const answer: unknown = await response.json().catch(() => null)
  return failureOf((answer as { readonly error?: unknown } | null)?.error, response)
}

function failureOf(
  error: unknown,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
): ApiFailure {
  const { message, code } = (error ?? {}) as { message?: string; code?: string }
  return new ApiFailure(message ?? `The answer was ${status}.`, {
    code: code ?? '',
    status,
    requestId: headers.get('x-request-id'),
  })
}

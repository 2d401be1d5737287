import type { Heard } from './exchange.ts'

/** An answer as a client of the common protocol reads it. */
export interface ReadAnswer {
  /** Of the completion; undefined where nothing of it came. */
  readonly text: string
  /** The last word came: a whole body, or `[DONE]`. */
  readonly isComplete: boolean
  readonly finishReason: string | undefined
  readonly completionTokens: number | undefined
  readonly completionId: string | undefined
  /** Of a stream's last chunk. */
  readonly receipt: Receipt | undefined
  readonly error: ToldError | undefined
  /** What is not as the protocol has it. */
  readonly flaws: readonly string[]
}

export interface ToldError {
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}

export interface Receipt {
  readonly job_id: string
  readonly credits_charged: number
  readonly credits_remaining?: number | null
  readonly output_hash: string
  readonly worker: string
  readonly escrow_tx: string
  readonly settlement_tx: string | null
}

const NOTHING: ReadAnswer = {
  text: '',
  isComplete: false,
  finishReason: undefined,
  completionTokens: undefined,
  completionId: undefined,
  receipt: undefined,
  error: undefined,
  flaws: [],
}

/** @param isWhole the connection was closed in good order */
export function readAnswer(heard: Heard, isWhole: boolean): ReadAnswer {
  if (heard.status === undefined) return NOTHING
  const isStream = String(heard.headers['content-type'] ?? '').startsWith('text/event-stream')
  if (isStream) return readStream(heard.text, isWhole)
  if (!isWhole) return NOTHING
  const body = JSON.parse(heard.text) as PlainBody
  if (heard.status !== 200) return { ...NOTHING, isComplete: true, error: body.error }
  const [choice] = body.choices ?? []
  return {
    ...NOTHING,
    text: choice?.message?.content ?? '',
    isComplete: true,
    finishReason: choice?.finish_reason,
    completionTokens: body.usage?.completion_tokens,
    completionId: body.id,
  }
}

interface PlainBody {
  readonly id: string
  readonly error: ReadAnswer['error']
  readonly choices?: readonly [{ message: { content: string }; finish_reason: string }]
  readonly usage?: { readonly completion_tokens: number }
}

interface ChunkBody {
  readonly id: string
  readonly error?: ReadAnswer['error']
  readonly choices: readonly {
    delta: { role?: string; content?: string }
    finish_reason: string | null
  }[]
  readonly usage?: { readonly completion_tokens: number } | null
  readonly svc?: Receipt
}

function readStream(raw: string, isWhole: boolean): ReadAnswer {
  const flaws: string[] = []
  let answer: ReadAnswer = { ...NOTHING, flaws }
  let chunks = 0
  for (const event of raw.split('\n\n')) {
    if (event === '' || event === ':') continue
    const data = event.startsWith('data: ') ? event.slice('data: '.length) : undefined
    if (data === undefined) flaws.push(`an event without data: ${event.slice(0, 40)}`)
    else if (answer.isComplete || answer.error) flaws.push('something after the last event')
    else if (data === '[DONE]') answer = { ...answer, isComplete: true }
    else answer = readChunk(answer, JSON.parse(data) as ChunkBody, chunks++, flaws)
  }
  if (isWhole && !answer.isComplete && !answer.error) flaws.push('it ends with no word of its end')
  if (answer.isComplete && answer.finishReason === undefined) flaws.push('no finish_reason')
  return answer
}

function readChunk(before: ReadAnswer, chunk: ChunkBody, index: number, flaws: string[]) {
  if (chunk.error) return { ...before, error: chunk.error }
  const completionTokens = chunk.usage?.completion_tokens ?? before.completionTokens
  const [choice] = chunk.choices
  if (!choice) return { ...before, completionTokens }
  if ((index === 0) !== (choice.delta.role === 'assistant')) flaws.push('the role is not first')
  if (before.finishReason !== undefined) flaws.push('a delta after the finish_reason')
  return {
    ...before,
    text: before.text + (choice.delta.content ?? ''),
    completionId: chunk.id,
    completionTokens,
    finishReason: choice.finish_reason ?? undefined,
    receipt: chunk.svc ?? before.receipt,
  }
}

import type { FinishReason } from '../../domain/chat.ts'
import type { Credits } from '../../domain/credits.ts'
import { publicHash } from '../../domain/hash.ts'
import { completionId, type JobId, type TxHash } from '../../domain/ids.ts'
import type { Usage } from '../../domain/usage.ts'
import { publicUsage } from '../../messages/public-job.ts'
import type { Completed } from '../waiting/outcome.ts'

export const SSE_DONE = 'data: [DONE]\n\n'
export const SSE_COMMENT = ':\n\n'
export const sseEvent = (data: unknown): string => `data: ${inOneLine(data)}\n\n`

/** Ends of lines to Unicode, and to JSON and to Server-Sent Events none. */
const UNICODE_LINE_ENDS = /[\u0085\u2028\u2029]/g

/**
 * JSON that is one line to every reader. Python's `str.splitlines`, so `iter_lines` of its clients too, cuts a
 * text at the ends of lines of Unicode, and what is left of the event is no JSON.
 */
const inOneLine = (value: unknown): string =>
  JSON.stringify(value).replace(
    UNICODE_LINE_ENDS,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

export interface ChunkIdentity {
  readonly jobId: JobId
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  readonly includeUsage: boolean
  /** `objectField` of the service's names. */
  readonly objectField: string
}

/** The events of one stream. All but the text is written once, not once a token. */
export class SseChunks {
  readonly #head: string
  readonly #delta: string
  readonly #usageNull: string
  readonly #objectField: string

  constructor({ jobId, created, model, includeUsage, objectField }: ChunkIdentity) {
    this.#objectField = objectField
    const identity = JSON.stringify({
      id: completionId(jobId),
      object: 'chat.completion.chunk',
      created,
      model,
    })
    this.#head = `data: ${identity.slice(0, -1)},`
    // The common protocol: with usage asked for, every chunk but the extra one says null.
    this.#usageNull = includeUsage ? '"usage":null,' : ''
    this.#delta = `${this.#head}${this.#usageNull}"choices":[{"index":0,"delta":{`
  }

  first(text: string): string {
    return `${this.#delta}"role":"assistant","content":${inOneLine(text)}${DELTA_END}`
  }

  text(text: string): string {
    return `${this.#delta}"content":${inOneLine(text)}${DELTA_END}`
  }

  last(finishReason: FinishReason, service: unknown): string {
    return (
      `${this.#delta}},"finish_reason":${JSON.stringify(finishReason)}}],` +
      `${this.#objectField}${JSON.stringify(service)}}\n\n`
    )
  }

  usage(usage: Usage): string {
    return `${this.#head}"choices":[],"usage":${JSON.stringify(publicUsage(usage))}}\n\n`
  }
}

const DELTA_END = '},"finish_reason":null}]}\n\n'

/** What headers tell of a plain answer, for clients that cannot read a stream's trailer. */
export const serviceObject = (
  ending: Completed,
  settlementTx: TxHash | undefined,
  remaining: Credits | undefined,
) => ({
  job_id: ending.jobId,
  escrow_tx: ending.escrowTx,
  settlement_tx: settlementTx ?? null,
  worker: ending.worker,
  credits_charged: Number(ending.charged),
  credits_remaining: remaining === undefined ? null : Number(remaining),
  output_hash: publicHash(ending.outputHash),
})

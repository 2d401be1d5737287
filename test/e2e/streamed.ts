import type { Answer } from './customer.ts'
import type { Chunk, Refused, ServiceObject } from './public-shapes.ts'

/** One answer that came as Server-Sent Events. */
export interface Streamed {
  readonly chunks: readonly Chunk[]
  readonly text: string
  readonly finishReason: string | undefined
  readonly service: ServiceObject | undefined
  /** The error event that ended it, if one did. */
  readonly error: Refused | undefined
  readonly isDone: boolean
}

/** @throws where a line is neither an event, a comment nor empty */
export function streamed({ text }: Answer): Streamed {
  const chunks: Chunk[] = []
  let error: Refused | undefined
  let isDone = false
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith(':')) continue
    if (!line.startsWith('data: ') || isDone || error) throw new Error(`stray line: ${line}`)
    const data = line.slice('data: '.length)
    if (data === '[DONE]') {
      isDone = true
      continue
    }
    const event: Chunk & { error?: Refused } = JSON.parse(data)
    if (event.error) error = event.error
    else chunks.push(event)
  }
  const choices = chunks.flatMap((chunk) => chunk.choices)
  return {
    chunks,
    text: choices.map(({ delta }) => delta.content ?? '').join(''),
    finishReason:
      choices.find(({ finish_reason }) => finish_reason !== null)?.finish_reason ?? undefined,
    service: chunks.find(({ svc }) => svc)?.svc,
    error,
    isDone,
  }
}

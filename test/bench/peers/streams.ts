import { Agent, request } from 'undici'
import { percentile, type Target } from '../drive.ts'

/** Many answers that are written at the same time. */
export interface Streamed {
  readonly streams: number
  readonly failed: number
  /** Over all streams, from the first token of the first until the last of the last. */
  readonly tokensPerSecond: number
  /** Between two arrivals of text on one stream. */
  readonly gapMs: { readonly p50: number; readonly p99: number }
}

/** Each token of the upstream is one; a way that groups what it sends puts several into one event. */
const TOKEN = Buffer.from('word')
const DONE = 'data: [DONE]'

/** Opens `streams` at once and reads each to its end. */
export async function readStreams(target: Target, streams: number): Promise<Streamed> {
  const agent = new Agent({ connections: streams, headersTimeout: 120_000, bodyTimeout: 120_000 })
  const gaps: number[] = []
  let [tokens, failed, first, last] = [0, 0, Number.POSITIVE_INFINITY, 0]
  const one = async () => {
    const response = await ask(target, agent)
    let before = 0
    let tail = ''
    for await (const data of response.body as AsyncIterable<Buffer>) {
      const now = performance.now()
      const count = occurrences(data)
      if (count > 0) {
        if (before > 0) gaps.push(now - before)
        before = now
        tokens += count
        first = Math.min(first, now)
        last = Math.max(last, now)
      }
      tail = (tail + data.toString('latin1', Math.max(0, data.length - 64))).slice(-64)
    }
    if (response.statusCode !== 200 || !tail.includes(DONE)) failed++
  }
  await Promise.all(Array.from({ length: streams }, () => one().catch(() => failed++)))
  await agent.close()
  gaps.sort((a, b) => a - b)
  return {
    streams,
    failed,
    tokensPerSecond: tokens / ((last - first) / 1_000),
    gapMs: { p50: percentile(gaps, 0.5), p99: percentile(gaps, 0.99) },
  }
}

const ask = ({ baseUrl, apiKey, model, headers }: Target, dispatcher: Agent) =>
  request(`${baseUrl}/chat/completions`, {
    method: 'POST',
    dispatcher,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model,
      stream: true,
      max_tokens: 400,
      messages: [{ role: 'user', content: 'Say many words.' }],
    }),
  })

function occurrences(data: Buffer): number {
  let count = 0
  for (let at = data.indexOf(TOKEN); at >= 0; at = data.indexOf(TOKEN, at + TOKEN.length)) count++
  return count
}

import { Agent, request } from 'undici'

export interface Target {
  /** Ends in /v1. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly model: string
  /** Besides those of every request. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Load {
  readonly requests: number
  readonly concurrency: number
  /** 200 by default. */
  readonly maxTokens?: number
  /** False: whole answers. */
  readonly stream?: boolean
}

export interface Run {
  readonly requests: number
  readonly failed: number
  readonly seconds: number
  /** Milliseconds to the first byte of the first chunk, one a request, ascending. */
  readonly firstTokenMs: readonly number[]
  /** Milliseconds to the end of the answer, one a request, ascending. */
  readonly wholeMs: readonly number[]
}

/** Asks for `requests` chat completions, `concurrency` at a time, each as soon as one has ended. */
export async function drive(
  target: Target,
  { requests, concurrency, maxTokens = 200, stream = true }: Load,
): Promise<Run> {
  const agent = new Agent({ connections: concurrency })
  const body = JSON.stringify({
    model: target.model,
    stream,
    max_tokens: maxTokens,
    messages: [{ role: 'user', content: 'Say a hundred words.' }],
  })
  const firstTokenMs: number[] = []
  const wholeMs: number[] = []
  let left = requests
  let failed = 0
  const one = async () => {
    const began = performance.now()
    const response = await request(`${target.baseUrl}/chat/completions`, {
      method: 'POST',
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${target.apiKey}`,
        'content-type': 'application/json',
        ...target.headers,
      },
      body,
    })
    let first = 0
    let tail = ''
    for await (const data of response.body) {
      if (first === 0) first = performance.now() - began
      tail = (tail + String(data)).slice(-64)
    }
    if (response.statusCode !== 200 || (stream && !tail.includes('data: [DONE]'))) {
      failed++
      return
    }
    firstTokenMs.push(first)
    wholeMs.push(performance.now() - began)
  }
  const began = performance.now()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) await one()
    }),
  )
  const seconds = (performance.now() - began) / 1000
  await agent.close()
  const ascending = (a: number, b: number) => a - b
  return {
    requests,
    failed,
    seconds,
    firstTokenMs: firstTokenMs.sort(ascending),
    wholeMs: wholeMs.sort(ascending),
  }
}

/** @param share 0.5 for the median */
export const percentile = (ascending: readonly number[], share: number): number =>
  ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN

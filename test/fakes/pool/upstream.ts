import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Answer = (request: Record<string, unknown>, response: ServerResponse) => unknown

/** An OpenAI-compatible server whose answers a test writes. */
export class Upstream {
  readonly requests: Record<string, unknown>[] = []
  /** Answers whose caller went away before they were finished. */
  cut = 0
  /** Says what models there are. */
  list = (response: ServerResponse): unknown =>
    response.end(JSON.stringify({ data: this.models.map((id) => ({ id, object: 'model' })) }))
  answer: Answer = (_request, response) => stream(response, ['Hello', ', ', 'world'])
  private readonly server: Server

  constructor(public models: readonly string[]) {
    this.server = createServer((request, response) => {
      this.serve(request, response).catch((error: unknown) => {
        // Whoever asks may go before the question is out; all else is the test's own fault.
        if (!request.errored) throw error
      })
    })
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    return this
  }
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`
  }
  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/v1/models') {
      this.list(response)
      return
    }
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>
    this.requests.push(body)
    response.on('close', () => {
      if (!response.writableFinished) this.cut++
    })
    await this.answer(body, response)
  }
}

export interface StreamOptions {
  readonly finishReason?: string | null
  readonly usage?: object | null
  readonly everyMs?: number
}

/** Streams `texts` as chat completion chunks. */
export async function stream(
  response: ServerResponse,
  texts: readonly string[],
  {
    finishReason = 'stop',
    usage = { prompt_tokens: 9, completion_tokens: 3 },
    everyMs,
  }: StreamOptions = {},
): Promise<void> {
  if (!response.headersSent) response.setHeader('content-type', 'text/event-stream')
  for (const content of texts) {
    if (response.destroyed) return
    response.write(data({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }))
    if (everyMs !== undefined) await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
  if (finishReason) {
    response.write(data({ choices: [{ index: 0, delta: {}, finish_reason: finishReason }] }))
  }
  if (usage) response.write(data({ choices: [], usage }))
  response.end('data: [DONE]\n\n')
}

export const data = (event: object): string => `data: ${JSON.stringify(event)}\n\n`

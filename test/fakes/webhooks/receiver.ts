import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What came to one endpoint. */
export interface Received {
  readonly eventId: string
  /** Monotonic milliseconds. */
  readonly at: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How an endpoint answers: with a status, or never. */
export type Manner = number | 'hang'

/** Many endpoints of webhooks behind one port, one a path, each with its own manner. */
export interface Receiver {
  url(path: string): string
  behave(path: string, manner: Manner): void
  received(path: string): readonly Received[]
  /** Most requests that were open at once at this path. */
  peak(path: string): number
  close(): Promise<void>
}

interface Endpoint {
  manner: Manner
  readonly received: Received[]
  open: number
  peak: number
}

/** @param options.answerMs how long an endpoint takes that answers */
export async function startReceiver({ answerMs = 0 } = {}): Promise<Receiver> {
  const endpoints = new Map<string, Endpoint>()
  const endpoint = (path: string): Endpoint => {
    const known = endpoints.get(path) ?? { manner: 200, received: [], open: 0, peak: 0 }
    endpoints.set(path, known)
    return known
  }
  const answer = (one: Endpoint, response: ServerResponse): void => {
    const { manner } = one
    if (manner === 'hang') return
    const end = () => {
      response.writeHead(manner).end('heard')
    }
    if (answerMs > 0) setTimeout(end, answerMs)
    else end()
  }
  const server = createServer((request, response) => {
    const one = endpoint(request.url!.slice(1))
    one.open++
    one.peak = Math.max(one.peak, one.open)
    response.once('close', () => one.open--)
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8')
      const eventId = String(request.headers['webhook-id'])
      one.received.push({ eventId, at: performance.now(), headers: request.headers, body })
      answer(one, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: (path) => `http://127.0.0.1:${port}/${path}`,
    behave: (path, manner) => {
      endpoint(path).manner = manner
    },
    received: (path) => endpoint(path).received,
    peak: (path) => endpoint(path).peak,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

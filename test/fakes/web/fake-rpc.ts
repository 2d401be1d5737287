import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeRpc {
  readonly url: string
  /** What it answers, by method; null to all others. */
  readonly results: Record<string, unknown>
  stop(): Promise<void>
}

/** A chain that knows one number: every wallet holds 25 test USDG. */
export async function startFakeRpc(): Promise<FakeRpc> {
  const results: Record<string, unknown> = { ...RESULTS }
  const answerTo = ({ id, method }: RpcCall) => ({
    jsonrpc: '2.0',
    id,
    result: results[method] ?? null,
  })
  const server = createServer(async (request, response) => {
    const headers = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': '*',
      'content-type': 'application/json',
    }
    if (request.method === 'OPTIONS') return response.writeHead(204, headers).end()
    const calls: RpcCall | RpcCall[] = JSON.parse(await textOf(request))
    const answer = Array.isArray(calls) ? calls.map(answerTo) : answerTo(calls)
    return response.writeHead(200, headers).end(JSON.stringify(answer))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    results,
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

interface RpcCall {
  readonly id: number
  readonly method: string
}

const HELD_UNITS = 25_000_000n
const RESULTS: Readonly<Record<string, string>> = {
  eth_chainId: '0x7a69',
  eth_getCode: '0x',
  eth_call: `0x${HELD_UNITS.toString(16).padStart(64, '0')}`,
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += piece
  return text
}

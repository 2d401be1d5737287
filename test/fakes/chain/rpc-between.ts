import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface RpcRequest {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** What a node answers: `result` or `error`. */
export type RpcAnswer = { readonly result?: unknown; readonly error?: unknown }
type Forward = () => Promise<RpcAnswer>

/** Stands between a caller and a node: sees each request, and may answer in the node's place. */
export interface RpcBetween {
  readonly url: string
  answer: (request: RpcRequest, forward: Forward) => Promise<RpcAnswer>
  close(): Promise<void>
}

/** An error that callers do not try again. */
const REFUSED: RpcAnswer = { error: { code: -32_000, message: 'cut off' } }

export async function startBetween(nodeUrl: string): Promise<RpcBetween> {
  const answerTo = async (request: RpcRequest) => {
    const forward: Forward = async () => {
      const body = JSON.stringify(request)
      const headers = { 'content-type': 'application/json' }
      const { result, error } = (await (
        await fetch(nodeUrl, { method: 'POST', headers, body })
      ).json()) as RpcAnswer
      return error === undefined ? { result } : { error }
    }
    return { jsonrpc: '2.0', id: request.id, ...(await between.answer(request, forward)) }
  }
  const server = createServer(async (incoming, response) => {
    const asked = (await json(incoming)) as RpcRequest | RpcRequest[]
    const answer = await (Array.isArray(asked) ? Promise.all(asked.map(answerTo)) : answerTo(asked))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const between: RpcBetween = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (_, forward) => forward(),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return between
}

const SEND = 'eth_sendRawTransaction'

/**
 * Cuts the caller off for good at its nth sending: `before` the node hears of it, or `after`, so that
 * the answer is lost.
 */
export function cutAtSending(between: RpcBetween, nth: number, when: 'before' | 'after'): void {
  let sent = 0
  let isCut = false
  between.answer = async ({ method }, forward) => {
    if (isCut) return REFUSED
    if (method !== SEND || ++sent < nth) return forward()
    isCut = true
    if (when === 'after') await forward()
    return REFUSED
  }
}

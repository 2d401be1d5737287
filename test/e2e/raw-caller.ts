import { connect, type Socket } from 'node:net'
import type { Network } from '../network/network.ts'

/** A caller below HTTP, to be as rude as one can be. */
export interface RawCaller {
  readonly socket: Socket
  /** All that was read so far. */
  heard(): string
  /** Resolves when the connection is over, whoever ended it. */
  readonly over: Promise<void>
}

export function dial(network: Network, edge = 0): RawCaller {
  const { hostname, port } = new URL(network.base_urls[edge] ?? '')
  const socket = connect({ host: hostname, port: Number(port) })
  let heard = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard += text
  })
  const over = new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
  })
  socket.on('error', () => {}) // `over` follows
  return { socket, heard: () => heard, over }
}

/** A chat request as bytes. */
export function rawChat(network: Network, body: object): { head: string; body: string } {
  const text = JSON.stringify({ messages: [{ role: 'user', content: 'Say something.' }], ...body })
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    `host: ${new URL(network.base_url).host}`,
    `authorization: Bearer ${network.api_key}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
  ]
  return { head: `${head.join('\r\n')}\r\n\r\n`, body: text }
}

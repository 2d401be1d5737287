import type { Network } from '../network/network.ts'

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

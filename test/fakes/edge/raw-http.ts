import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { KEY } from './stage.ts'

/** POSTs a chat request and gives the response as soon as its headers are in. */
export function openChat(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${url}/v1/chat/completions`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${KEY}`,
          'content-type': 'application/json',
          ...headers,
        },
        agent: false,
        timeout: 20_000,
      },
      resolve,
    )
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify(body))
  })
}

export async function readAll(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8')
  let text = ''
  for await (const piece of response) text += piece
  return text
}

/** The JSON of each `data:` event; `[DONE]` stays text. */
export function eventsOf(body: string) {
  return body
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length))
    .map((data) => (data === '[DONE]' ? data : JSON.parse(data)))
}

/** Sends bytes as they are and reads until the other side closes. */
export function exchangeRaw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    let answer = ''
    socket.setTimeout(15_000, () => socket.destroy(new Error('no end within 15 s')))
    socket.setEncoding('utf8')
    socket.on('data', (piece) => {
      answer += piece
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

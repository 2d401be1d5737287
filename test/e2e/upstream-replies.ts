import type { ServerResponse } from 'node:http'
import { data, type Answer as Reply, stream } from '../fakes/pool/upstream.ts'

/** What an upstream may say to a chat request, well or ill. */

export const says =
  (...texts: string[]): Reply =>
  (_request, response) =>
    stream(response, texts)

export const refuses =
  (status: number, error: object): Reply =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error }))
  }

/** Says some of it, lets that leave, and cuts the connection. */
export const diesAfter =
  (...texts: string[]): Reply =>
  async (_request, response: ServerResponse) => {
    response.setHeader('content-type', 'text/event-stream')
    for (const content of texts) {
      response.write(data({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }))
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
    response.destroy()
  }

/** The first request meets the first reply, and so on; the last one stays. */
export function inTurn(...replies: Reply[]): Reply {
  return (request, response) => {
    const [reply] = replies.length > 1 ? replies.splice(0, 1) : replies
    return reply?.(request, response)
  }
}

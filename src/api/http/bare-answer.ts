import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ERRORS, type Refusal } from '../../domain/errors.ts'
import { errorBody } from './errors.ts'

/** Who is still sending sees the answer, not a reset; but not for ever. */
const LINGER_MS = 2_000
const lingering = new WeakSet<Socket>()

/** Whether it is answered and ended, and what still comes of its request is read for nobody. */
export const isLingering = (socket: Socket): boolean => lingering.has(socket)

/** Answers on a connection for which Node has made no response, in the one envelope, and ends it. */
export function answerBare(
  socket: Socket,
  refusal: Refusal,
  docsUrl: string,
  headers: readonly string[] = [],
): void {
  const { status } = ERRORS[refusal.code]
  const body = JSON.stringify(errorBody(refusal, docsUrl))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`,
    'connection: close',
    ...headers,
  ]
  lingering.add(socket)
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(cut))
}

import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Refusal } from '../../domain/errors.ts'
import { answerBare, isLingering } from './bare-answer.ts'

/** Answers what never became a request: Node has no response for it, so it is written out. */
export function clientErrorHandler(docsUrl: string) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    // Bytes after a request that said it was the last one: its answer closes the connection.
    if (error.code === 'HPE_CLOSED_CONNECTION') return
    // Each piece that still comes is an error of its own. Ended at the second one, the connection would be reset,
    // and with it the answer, where it is not read yet.
    if (isLingering(socket)) return
    if (error.code === 'ECONNRESET' || !socket.writable || isBeingAnswered(socket)) {
      socket.destroy()
      return
    }
    answerBare(socket, refusalOf(error.code), docsUrl)
  }
}

/** Bytes of our own in the middle of an answer would be taken for a part of it. */
function isBeingAnswered(socket: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent === true
}

function refusalOf(code: string | undefined): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { code: 'headers_too_large', message: 'The request headers are larger than 16 KiB.' }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'request_timeout', message: 'The request took too long to arrive.' }
    default:
      return { code: 'invalid_request', message: 'The request is not valid HTTP.' }
  }
}

/** What Node would answer by itself, or not at all, is answered as everything else is. */
export function answerOddRequests(server: Server, docsUrl: string): void {
  // An expectation other than 100-continue: a server may ignore it, and the request stands alone.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy())
    const message = 'CONNECT is not possible here: this is an API, not a proxy.'
    answerBare(socket, { code: 'method_not_allowed', message }, docsUrl, ['allow: GET, HEAD, POST'])
  })
}

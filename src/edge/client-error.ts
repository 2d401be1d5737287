import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Refusal } from '../domain/errors.ts'
import { errorBody } from './errors.ts'

/** Answers what never became a request: Node has no response for it, so it is written out. */
export function clientErrorHandler(docsUrl: string) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const body = JSON.stringify(errorBody(refusalOf(error.code), docsUrl))
    socket.end(
      [
        'HTTP/1.1 400 Bad Request',
        'content-type: application/json; charset=utf-8',
        `content-length: ${Buffer.byteLength(body)}`,
        `x-request-id: ${randomUUID()}`,
        'connection: close',
        '',
        body,
      ].join('\r\n'),
    )
  }
}

function refusalOf(code: string | undefined): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { code: 'invalid_request', message: 'The request headers are larger than 16 KiB.' }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'invalid_request', message: 'The request took too long to arrive.' }
    default:
      return { code: 'invalid_request', message: 'The request is not valid HTTP.' }
  }
}

import { once } from 'node:events'
import { connect } from 'node:net'
import type { Customer } from '../customer.ts'

const READ_MS = 60_000

/**
 * Posts so many bytes as a blocking client does: it reads nothing before all is written, and keeps no
 * connection. A server that answers and closes without having read them resets it, and the answer is
 * lost. @returns what was answered @throws the reset
 */
export async function postThenRead(customer: Customer, bytes: number): Promise<string> {
  const { hostname, port, pathname } = new URL(`${customer.baseUrl}/chat/completions`)
  const socket = connect(Number(port), hostname)
  socket.pause()
  socket.setTimeout(READ_MS, () => socket.destroy(new Error(`nothing moved for ${READ_MS} ms`)))
  const broken = once(socket, 'error').then(([error]) => Promise.reject(error))
  // What broke is told by the race below, whenever it did.
  broken.catch(() => {})
  const exchange = async () => {
    await once(socket, 'connect')
    const head = [
      `POST ${pathname} HTTP/1.1`,
      `host: ${hostname}`,
      `authorization: Bearer ${customer.apiKey}`,
      'content-type: application/json',
      `content-length: ${bytes}`,
      'connection: close',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    const piece = Buffer.alloc(64 * 1024, 'x')
    for (let sent = 0; sent < bytes; sent += piece.length) {
      if (!socket.write(piece.subarray(0, bytes - sent))) await once(socket, 'drain')
    }
    let heard = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      heard += text
    })
    socket.resume()
    await once(socket, 'end')
    return heard
  }
  return Promise.race([exchange(), broken]).finally(() => socket.destroy())
}

import { connect, type Socket } from 'node:net'

/** A caller below HTTP, to be as rude as one can be. */
export interface RawCaller {
  readonly socket: Socket
  /** All that was read so far. */
  heard(): string
  /** Resolves when the connection is over, whoever ended it. */
  readonly over: Promise<void>
}

/** @param url of which host and port count */
export function dial(url: string): RawCaller {
  const { hostname, port } = new URL(url)
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

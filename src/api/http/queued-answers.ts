import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * So many requests of a connection may wait behind the one that is answered. A client that sends on and on without
 * reading makes each of them cost memory and work here; no client of ours comes near.
 */
export const QUEUED_MOST = 100

/**
 * Of requests that were sent one behind another, without waiting, only the one whose answer is next is
 * told by Node that the connection has closed. The others hear it here, as `close` of their response: else
 * whoever answers would go on for a caller that has left. A connection on which too many wait is closed.
 */
export function closeQueuedAnswers(server: Server): void {
  const queues = new WeakMap<Socket, Set<ServerResponse>>()
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    // It has the connection: Node tells it.
    if (response.socket) return
    const queue = queues.get(socket) ?? openQueue(socket)
    queues.set(socket, queue.add(response))
    response.once('close', () => queue.delete(response))
    if (queue.size > QUEUED_MOST) socket.destroy()
  })
}

/** One listener a connection, however many requests it carries. */
function openQueue(socket: Socket): Set<ServerResponse> {
  const queue = new Set<ServerResponse>()
  socket.once('close', () => {
    for (const response of queue) {
      // Its turn came: Node tells it.
      if (response.socket) continue
      response.destroy()
      response.emit('close')
    }
  })
  return queue
}

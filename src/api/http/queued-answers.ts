import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Of requests that were sent one behind another, without waiting, only the one whose answer is next is
 * told by Node that the connection has closed. The others hear it here, as `close` of their response: else
 * whoever answers would go on for a caller that has left.
 */
export function closeQueuedAnswers(server: Server): void {
  const queues = new WeakMap<Socket, Set<ServerResponse>>()
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    // It has the connection: Node tells it.
    if (response.socket) return
    const queue = queues.get(socket) ?? openQueue(socket)
    queues.set(socket, queue.add(response))
    response.once('close', () => queue.delete(response))
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

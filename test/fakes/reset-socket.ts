import type { Socket } from 'node:net'

/**
 * Ends a connection with a reset, where it can have one. Node cannot reset a socket that is being ended: it
 * reports EINVAL, keeps the socket for good, and the process never exits.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

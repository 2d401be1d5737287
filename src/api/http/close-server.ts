import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { DurationMs } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'

const SWEEP_MS = 100

/**
 * Made before the server listens.
 * @returns closes when the last request is done, or cuts the rest after `drainMs`
 */
export function makeServerClosing(
  server: FastifyInstance,
  clock: Clock,
  drainMs: DurationMs,
): () => Promise<void> {
  const sockets = openSockets(server.server)
  return async () => {
    const sweep = () => {
      // A connection whose request ends during the drain would be kept alive for the next one.
      server.server.closeIdleConnections()
      // Clients open connections ahead; Node counts one that never said a word as busy.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }
    const cancelCut = clock.after(drainMs, () => server.server.closeAllConnections())
    const cancelSweep = clock.every(SWEEP_MS, sweep)
    await server.close()
    cancelCut()
    cancelSweep()
  }
}

function openSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

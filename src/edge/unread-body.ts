import type { FastifyReply, FastifyRequest } from 'fastify'

/** More than this nobody sends by mistake: the connection is cut. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024

/**
 * Reads the rest of a refused body and throws it away. A caller that is still sending does not read:
 * were the connection closed on it, it would see a reset and never the refusal.
 */
export function throwAwayBody(request: FastifyRequest, reply: FastifyReply): void {
  // Set by fastify for a body it will not read.
  reply.removeHeader('connection')
  let bytes = 0
  request.raw.on('data', (data: Buffer) => {
    bytes += data.length
    if (bytes > UNREAD_BYTES_MAX) request.raw.destroy()
  })
}

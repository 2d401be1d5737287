import type { FastifyReply, FastifyRequest } from 'fastify'

/** More than this nobody sends by mistake: the connection is cut. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024
/** How long after the refusal the rest may take. */
const LINGER_MS = 5_000

/**
 * Reads the rest of a refused body and throws it away. A caller that is still sending does not read:
 * were the connection closed on it at once, it would see a reset and never the refusal.
 */
export function throwAwayBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  // Set by fastify for a body it will not read.
  reply.removeHeader('connection')
  let bytes = 0
  raw.on('data', (data: Buffer) => {
    bytes += data.length
    if (bytes > UNREAD_BYTES_MAX) raw.destroy()
  })
  reply.raw.once('finish', () => {
    if (raw.complete) return
    const cut = setTimeout(() => raw.destroy(), LINGER_MS)
    raw.once('close', () => clearTimeout(cut))
  })
}

import type { FastifyReply, FastifyRequest } from 'fastify'

/** More than this nobody sends by mistake: the refusal goes out and the connection is cut. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024
/** How long what is left of a refused body is read on. */
const READ_ON_MS = 5_000

/**
 * Reads what is left of a refused body and throws it away; resolves when there is no more of it, or
 * when it has been enough. A caller that is still sending does not read: were it answered and its
 * connection closed meanwhile, it would see a reset and never the refusal.
 */
export async function throwAwayBody({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  // Set by fastify for each body it refuses, also where all of it was read: the next request can follow.
  reply.removeHeader('connection')
  if (!hasBody(raw.headers) || raw.complete || raw.destroyed) return
  let bytes = 0
  const rest = new Promise<'read'>((resolve) => {
    raw.once('end', () => resolve('read')).once('close', () => resolve('read'))
  })
  const enough = new Promise<'enough'>((resolve) => {
    const cut = setTimeout(() => resolve('enough'), READ_ON_MS)
    raw.once('close', () => clearTimeout(cut))
    raw.on('data', (data: Buffer) => {
      bytes += data.length
      if (bytes > UNREAD_BYTES_MAX) resolve('enough')
    })
  })
  raw.resume()
  if ((await Promise.race([rest, enough])) === 'read') return
  reply.header('connection', 'close')
  reply.raw.once('finish', () => raw.destroy())
}

const hasBody = (headers: FastifyRequest['raw']['headers']): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

import type { FastifyInstance } from 'fastify'
import { refuse } from '../../api/http/errors.ts'
import type { Leaving } from '../../api/http/leaving.ts'
import type { DurationMs } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'
import { STALE_QUERIES, type StaleQuery } from '../api.ts'
import type { Followers } from '../live/followers.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { sessionOf, tokenOf } from '../sessions/signed-in.ts'

interface Options {
  readonly followers: Followers
  readonly sessions: Sessions
  readonly clock: Clock
  /** Open streams; each is told how to end itself. */
  readonly open: Set<() => void>
  /** Closing: a stream that opens now has missed that, and ends as well. */
  readonly leaving: Pick<Leaving, 'closing'>
}

/** Also how soon a session that has ended is noticed. */
const HEARTBEAT_MS: DurationMs = 10_000
/** Longer than a browser waits by itself: a crowd that was cut off does not come back at once. */
const RETRY_MS = 3_000

/**
 * Tells a page which of its queries are stale, and nothing else: what they hold it asks for itself.
 */
export function events(server: FastifyInstance, options: Options): void {
  const { followers, sessions, clock, open, leaving } = options
  server.get('/api/events', async (request, reply) => {
    const { wallet } = sessionOf(request)
    if (followers.isFull(wallet)) {
      throw refuse('service_unavailable', 'Too many pages are open here; this one asks by itself.')
    }
    const token = tokenOf(request)
    const { raw } = reply
    const tell = (queries: readonly StaleQuery[]) => {
      // A page that does not read is not waited for: it will ask again when it is back.
      if (!raw.headersSent || raw.writableEnded || raw.writableNeedDrain) return
      raw.write(`event: stale\ndata: ${JSON.stringify({ queries })}\n\n`)
    }
    const unfollow = await followers.follow(wallet, tell)
    reply.hijack()
    if (raw.destroyed) return unfollow()
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    })
    // With an id, so that a browser that lost the stream says so when it comes back.
    raw.write(`id: 1\nretry: ${RETRY_MS}\n\n`)
    if (request.headers['last-event-id']) tell(STALE_QUERIES)
    const beat = async () => {
      const session = await sessions.read(token).catch(() => undefined)
      if (raw.writableEnded) return
      if (session) raw.write(':\n\n')
      else end()
    }
    const cancel = clock.every(HEARTBEAT_MS, () => void beat())
    const leave = () => {
      unfollow()
      cancel()
      open.delete(end)
    }
    // Its `close` may be long in coming: behind another answer of the connection, or a page that does not read.
    const end = () => {
      leave()
      raw.end()
    }
    open.add(end)
    raw.once('close', leave)
    // A write to a page that has just gone: its `close` tells the rest.
    raw.on('error', () => {})
    if (leaving.closing) end()
  })
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HeaderNames } from '../../domain/service-names.ts'

/** What pages of other origins may do with the API. */
export interface CrossOrigin {
  /** Says on an answer whether the asking page may read it. */
  tell(request: FastifyRequest, reply: FastifyReply): void
  /** Answers a browser that asks first. @returns false where this is no such question, or not allowed */
  answersPreflight(request: FastifyRequest, reply: FastifyReply): boolean
}

/** Of the API alone; documentation and health are not for scripts of others. */
const API = '/v1/'
const METHODS = 'GET, HEAD, POST, DELETE'
/** What clients go by, besides the service's own. */
const EXPOSED = ['x-request-id', 'retry-after', 'x-should-retry', 'allow']
/** The longest that browsers believe a preflight. */
const BELIEVED_SECONDS = 7_200

/**
 * CORS for pages of exactly these origins. Without credentials: a key travels in a header that the
 * page sets itself, and there are no cookies here that a browser could add.
 */
export function makeCrossOrigin(origins: ReadonlySet<string>, names: HeaderNames): CrossOrigin {
  const exposed = [...Object.values(names), ...EXPOSED].join(', ')
  const allowed = ({ url, headers }: FastifyRequest): string | undefined =>
    url.startsWith(API) && headers.origin !== undefined && origins.has(headers.origin)
      ? headers.origin
      : undefined

  return {
    tell: (request, reply) => {
      if (origins.size === 0 || !request.url.startsWith(API)) return
      // Answers differ by who asks, so that no cache may give one origin another's.
      reply.header('vary', 'origin')
      const origin = allowed(request)
      if (origin === undefined) return
      reply.headers({
        'access-control-allow-origin': origin,
        'access-control-expose-headers': exposed,
      })
    },

    answersPreflight: (request, reply) => {
      const { method, headers } = request
      const isAsked = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
      if (!isAsked || allowed(request) === undefined) return false
      // Clients add headers of their own, which differ; the origin is trusted with all of them.
      const asked = headers['access-control-request-headers']
      reply
        .code(204)
        .headers({
          vary: 'origin, access-control-request-headers',
          'access-control-allow-methods': METHODS,
          'access-control-max-age': String(BELIEVED_SECONDS),
          ...(asked !== undefined && { 'access-control-allow-headers': asked }),
        })
        .send()
      return true
    },
  }
}

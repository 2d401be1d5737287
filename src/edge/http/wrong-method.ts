import type { FastifyInstance, HTTPMethods } from 'fastify'
import { RefusalError } from '../../api/http/errors.ts'

const METHODS: readonly HTTPMethods[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
]

/** Paths that exist, and what each of them takes; anything else there is a 405. */
export function refuseWrongMethods(
  server: FastifyInstance,
  routes: Readonly<Record<string, readonly HTTPMethods[]>>,
): void {
  for (const [url, allowed] of Object.entries(routes)) {
    const allow = allowed.join(', ')
    server.route({
      method: METHODS.filter((method) => !allowed.includes(method)),
      url,
      exposeHeadRoute: false,
      config: { undocumented: true },
      // Before the body is read: what it holds makes no difference.
      onRequest: async (request) => {
        throw new RefusalError(
          {
            code: 'method_not_allowed',
            message: `${request.method} is not possible here; this path takes ${allow}.`,
          },
          { headers: { allow } },
        )
      },
      handler: async () => undefined,
    })
  }
}

import type { HTTPMethods } from 'fastify'

/** Every path of an edge, and what it takes. */
export const METHODS: Readonly<Record<string, readonly HTTPMethods[]>> = {
  '/v1/chat/completions': ['POST'],
  '/v1/models': ['GET', 'HEAD'],
  '/v1/models/*': ['GET', 'HEAD'],
  '/v1/jobs': ['GET', 'HEAD'],
  '/v1/jobs/:id': ['GET', 'HEAD'],
  '/v1/jobs/:id/dispute': ['POST'],
  '/v1/account': ['GET', 'HEAD'],
  '/v1/events': ['GET'],
  '/v1/webhooks': ['GET', 'HEAD', 'POST'],
  '/v1/webhooks/:id': ['DELETE'],
  '/v1/openapi.json': ['GET', 'HEAD'],
  '/docs/*': ['GET', 'HEAD'],
  '/healthz': ['GET', 'HEAD'],
  '/readyz': ['GET', 'HEAD'],
}

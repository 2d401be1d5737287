import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import fastify, { type FastifyInstance } from 'fastify'
import { LIMITS } from '../domain/limits.ts'
import type { Log } from '../telemetry/log.ts'
import { clientErrorHandler } from './client-error.ts'
import { errorHandler, refuse } from './errors.ts'
import { addJsonBody } from './json-body.ts'

export interface ServerOptions {
  readonly docsUrl: string
  readonly trustProxy: boolean | string
  readonly log: Log
  /** True once the process is going down: connections that stay open are told to leave. */
  readonly draining: () => boolean
}

/** A server that answers nothing yet but says so, whatever it is sent, in the one envelope. */
export function makeServer({ docsUrl, trustProxy, log, draining }: ServerOptions): FastifyInstance {
  const server: FastifyInstance = fastify({
    logger: false,
    bodyLimit: LIMITS.bodyBytesMax,
    trustProxy,
    genReqId: requestId,
    // Longer than a load balancer's own idle time, so that it is never we who close first.
    keepAliveTimeout: 72_000,
    // Of the request until its body is in; the answer may take as long as the job's window.
    requestTimeout: 60_000,
    // A socket on which nothing moves at all: a plain answer waits longest.
    connectionTimeout: 180_000,
    http: { headersTimeout: 15_000, connectionsCheckingInterval: 5_000 },
    return503OnClosing: false,
    clientErrorHandler: clientErrorHandler(docsUrl),
    routerOptions: { maxParamLength: 16 * 1024 },
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      return errorHandler(docsUrl, log)(error, request, reply)
    },
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: false,
      },
    },
  })
  addJsonBody(server)
  server.setErrorHandler(errorHandler(docsUrl, log))
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    if (draining()) {
      reply.header('connection', 'close')
      throw refuse('service_unavailable', 'This host is going down; try again.')
    }
    if (request.is404) throw unknownRoute(request.method, request.url)
  })
  server.setNotFoundHandler((request) => {
    throw unknownRoute(request.method, request.url)
  })
  logAnswers(server, log)
  return server
}

const unknownRoute = (method: string, url: string) =>
  refuse(
    'route_not_found',
    `There is no ${method} ${url.split('?', 1)[0]?.slice(0, 100)}. Endpoints live under /v1.`,
  )

const SANE_REQUEST_ID = /^[\w.:/+=-]{1,128}$/

function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : randomUUID()
}

/** One line an answer, never of its contents. */
function logAnswers(server: FastifyInstance, log: Log): void {
  if (!log.isLevelEnabled('debug')) return
  server.addHook('onResponse', async (request, reply) => {
    log.debug(
      {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url,
        status: reply.raw.statusCode,
        ms: Math.round(reply.elapsedTime),
        wallet: request.caller?.wallet,
      },
      'answered',
    )
  })
}

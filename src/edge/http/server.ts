import fastify, { type FastifyInstance } from 'fastify'
import type { BurstLimit } from '../../api/http/burst-limit.ts'
import { answerOddRequests } from '../../api/http/client-error.ts'
import { errorHandler, refuse } from '../../api/http/errors.ts'
import { addJsonBody } from '../../api/http/json-body.ts'
import { endConnections, goingDown, type Leaving } from '../../api/http/leaving.ts'
import { closeQueuedAnswers } from '../../api/http/queued-answers.ts'
import { serverOptions, type TrustProxy } from '../../api/http/server-options.ts'
import { tooMany } from '../../api/http/too-many.ts'
import type { Log } from '../../telemetry/log.ts'
import { bodyDigest, hasJoinKey } from '../chat/join-key.ts'
import type { CrossOrigin } from './cross-origin.ts'
import { whyNotOffered } from './not-offered.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the body as it came; empty where no retry of the request could join it. */
    bodyDigest: string
  }
}

export interface ServerOptions {
  readonly docsUrl: string
  readonly trustProxy: TrustProxy
  readonly burst: BurstLimit
  readonly crossOrigin: CrossOrigin
  readonly log: Log
  readonly leaving: Leaving
}

/** A server that answers nothing yet but says so, whatever it is sent, in the one envelope. */
export function makeServer(options: ServerOptions): FastifyInstance {
  const { docsUrl, trustProxy, crossOrigin, log, leaving } = options
  const server: FastifyInstance = fastify({
    ...serverOptions({ docsUrl, trustProxy }),
    routerOptions: { maxParamLength: 16 * 1024 },
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      crossOrigin.tell(request, reply)
      const refusal = tooMany(options.burst, request)
      return errorHandler(docsUrl, log)(refusal ?? error, request, reply)
    },
  })
  answerOddRequests(server.server, docsUrl)
  closeQueuedAnswers(server.server)
  endConnections(server, leaving)
  server.decorateRequest('bodyDigest', '')
  addJsonBody(server, {
    // The text itself is not kept: it may be megabytes, and what is made of it is enough.
    read: (request, text) => {
      if (hasJoinKey(request.headers)) request.bodyDigest = bodyDigest(text)
    },
  })
  server.setErrorHandler(errorHandler(docsUrl, log))
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    crossOrigin.tell(request, reply)
    if (leaving.closing) {
      reply.header('connection', 'close')
      throw goingDown()
    }
    const refusal = tooMany(options.burst, request)
    if (refusal) throw refusal
    if (crossOrigin.answersPreflight(request, reply)) return reply
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') throw noHost()
    if (request.is404) throw unknownRoute(request.method, request.url)
  })
  server.setNotFoundHandler((request) => {
    throw unknownRoute(request.method, request.url)
  })
  logAnswers(server, log)
  return server
}

const noHost = () => refuse('invalid_request', 'The request has no `host` header.')

function unknownRoute(method: string, url: string) {
  const path = url.split('?', 1)[0] ?? ''
  const why = whyNotOffered(path) ?? 'Endpoints live under /v1.'
  return refuse('route_not_found', `There is no ${method} ${path.slice(0, 100)}. ${why}`)
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

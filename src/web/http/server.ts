import fastifyCookie from '@fastify/cookie'
import fastify, { type FastifyInstance } from 'fastify'
import type { BurstLimit } from '../../api/http/burst-limit.ts'
import { answerOddRequests } from '../../api/http/client-error.ts'
import { addJsonBody } from '../../api/http/json-body.ts'
import { endConnections, goingDown, type Leaving } from '../../api/http/leaving.ts'
import { closeQueuedAnswers } from '../../api/http/queued-answers.ts'
import { serverOptions, type TrustProxy } from '../../api/http/server-options.ts'
import { tooMany } from '../../api/http/too-many.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../telemetry/log.ts'
import { webErrorHandler } from './errors.ts'

export interface ServerOptions {
  readonly docsUrl: string
  readonly trustProxy: TrustProxy
  readonly burst: BurstLimit
  /** On every answer. */
  readonly headers: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly log: Log
  readonly leaving: Leaving
}

/** Small requests only: the largest is a signed message. */
const BODY_BYTES_MAX = 64 * 1024

/** A server that answers nothing yet but says so in the one envelope. */
export function makeServer(options: ServerOptions): FastifyInstance {
  const { docsUrl, trustProxy, burst, clock, log, leaving } = options
  // What may be kept says so itself: nobody remembers for long that a file was not there.
  const headers = { ...options.headers, 'cache-control': 'no-store' }
  const handleError = webErrorHandler(docsUrl, log, clock)
  const server: FastifyInstance = fastify({
    ...serverOptions({ docsUrl, trustProxy }),
    bodyLimit: BODY_BYTES_MAX,
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...headers, 'x-request-id': request.id })
      return handleError(tooMany(burst, request, ofWeb) ?? error, request, reply)
    },
  })
  answerOddRequests(server.server, docsUrl)
  closeQueuedAnswers(server.server)
  endConnections(server, leaving)
  addJsonBody(server, { mayBeEmpty: true })
  server.register(fastifyCookie)
  server.setErrorHandler(handleError)
  server.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...headers, 'x-request-id': request.id })
    if (leaving.closing) {
      reply.header('connection', 'close')
      throw goingDown()
    }
    const refusal = tooMany(burst, request, ofWeb)
    if (refusal) throw refusal
  })
  return server
}

/** The buckets of the public API are others. */
const ofWeb = (address: string): string => `web ${address}`

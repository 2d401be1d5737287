import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyServerOptions } from 'fastify'
import { LIMITS } from '../../domain/limits.ts'
import { clientErrorHandler } from './client-error.ts'

/** Whose x-forwarded-for is believed: everyone's, nobody's, these proxies', or so many hops. */
export type TrustProxy = boolean | string | number

interface Options {
  readonly docsUrl: string
  readonly trustProxy: TrustProxy
}

/** How every server of the house treats its connections. */
export const serverOptions = ({ docsUrl, trustProxy }: Options) =>
  ({
    logger: false,
    bodyLimit: LIMITS.bodyBytesMax,
    trustProxy: typeof trustProxy === 'number' ? (_, hop) => hop < trustProxy : trustProxy,
    genReqId: requestId,
    // Longer than a load balancer's own idle time, so that it is never we who close first.
    keepAliveTimeout: 72_000,
    // Of the request until its body is in; the answer may take as long as the job's window.
    requestTimeout: 60_000,
    // A socket on which nothing moves at all: a plain answer waits longest.
    connectionTimeout: 180_000,
    http: {
      headersTimeout: 15_000,
      connectionsCheckingInterval: 5_000,
      // Refused in our own words.
      requireHostHeader: false,
    },
    return503OnClosing: false,
    clientErrorHandler: clientErrorHandler(docsUrl),
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: false,
      },
    },
  }) satisfies FastifyServerOptions & { readonly http: object }

const SANE_REQUEST_ID = /^[\w.:/+=-]{1,128}$/

function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && SANE_REQUEST_ID.test(given) ? given : randomUUID()
}

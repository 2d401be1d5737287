import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../api/http/errors.ts'
import type { ServiceNames } from '../../domain/service-names.ts'
import { CONTENT_SECURITY_POLICY } from '../docs/layout.ts'
import { FIRST_PAGE, missingPage, renderPages } from '../docs/pages.ts'
import { forHost, originOf, SOME_ORIGIN } from '../http/base-url.ts'
import { openApiDocument } from '../openapi/document.ts'
import type { Endpoint } from '../openapi/operation.ts'
import { retrieveOpenApi } from '../openapi/operations.ts'

interface Options {
  /** Complete once the server is ready. */
  readonly endpoints: readonly Endpoint[]
  readonly docsUrl: string
  readonly names: ServiceNames
}

const HTML = 'text/html; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'

/** The reference, for people and for programs. Needs no key. */
export function docs(server: FastifyInstance, { endpoints, docsUrl, names }: Options): void {
  let pages: ReadonlyMap<string, string> = new Map()
  let openApi = ''
  server.addHook('onReady', async () => {
    const baseUrl = `${SOME_ORIGIN}/v1`
    const document = openApiDocument({ endpoints, baseUrl, docsUrl, names })
    openApi = JSON.stringify(document)
    pages = await renderPages({ document, docsUrl, names })
  })

  const config = { operation: retrieveOpenApi }
  server.get('/v1/openapi.json', { config }, async (request, reply) =>
    send(request, reply.type(JSON_TYPE), forHost(openApi, request, docsUrl)),
  )

  server.get('/', async (request, reply) => {
    reply.header('vary', 'accept')
    return wantsHtml(request) ? reply.redirect(ENTRANCES['/']) : signpost(request, docsUrl)
  })
  for (const [path, target] of Object.entries(ENTRANCES)) {
    if (path !== '/') server.get(path, async (_, reply) => reply.redirect(target))
  }

  server.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
    const [, name = ''] = /^api-reference\/([\w-]+)$/.exec(request.params['*']) ?? []
    const page = pages.get(name)
    reply.header('vary', 'accept')
    if (page === undefined && !wantsHtml(request)) {
      throw refuse(
        'route_not_found',
        `There is no page here. The documentation begins at ${docsUrl}.`,
      )
    }
    reply.type(HTML).headers(SECURITY)
    if (page === undefined) return reply.code(404).send(missingPage(docsUrl))
    return send(request, reply, forHost(page, request, docsUrl))
  })
}

/** Relative, as the links between the pages are: they may be served under any address. */
const ENTRANCES = {
  '/': `docs/api-reference/${FIRST_PAGE}`,
  '/docs': `docs/api-reference/${FIRST_PAGE}`,
  '/docs/': `api-reference/${FIRST_PAGE}`,
  '/docs/api-reference': `api-reference/${FIRST_PAGE}`,
  '/docs/api-reference/': FIRST_PAGE,
} as const

const SECURITY = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const

/** A browser says so; clients and curl do not. */
const wantsHtml = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.includes('text/html') ?? false

function signpost(request: FastifyRequest, docsUrl: string) {
  const baseUrl = `${originOf(request, docsUrl)}/v1`
  return {
    service: 'Prepaid Inference API',
    base_url: baseUrl,
    docs: docsUrl,
    openapi: `${baseUrl}/openapi.json`,
  }
}

/** The same for everyone who asks under this address, until a new version is deployed. */
function send(request: FastifyRequest, reply: FastifyReply, body: string): FastifyReply {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  reply.headers({
    etag,
    'cache-control': 'public, max-age=300',
    'x-content-type-options': 'nosniff',
  })
  const known = request.headers['if-none-match']
  if (known === '*' || known?.includes(etag)) return reply.code(304).send()
  return reply.send(body)
}

import { extname } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../api/http/errors.ts'
import { isLoopback } from '../../domain/loopback.ts'
import type { StaticFile } from '../http/static.ts'

interface Options {
  /** Of the built app, by path. */
  readonly files: ReadonlyMap<string, StaticFile>
  /** Of the web app. */
  readonly origin: string
}

const FOR_EVER = 'public, max-age=31536000, immutable'
const ASK_AGAIN = 'no-cache'

/** The app itself: its files, and its one page for every other path that a person can be at. */
export function app(server: FastifyInstance, { files, origin }: Options): void {
  const page = files.get('/index.html')

  server.get('/*', async (request, reply) => {
    const path = pathOf(request)
    if (path.startsWith('/api/')) throw unknownRoute(request)
    const file = path === '/' ? undefined : files.get(path)
    if (file) return send(file, request, reply)
    const isGone = isFileName(path)
    if (isGone && !isForPerson(request)) throw unknownRoute(request)
    const elsewhere = otherName(request, origin)
    if (elsewhere) return reply.redirect(elsewhere, 307)
    // A person may have taken a name for an address: the page says so, and what to do.
    if (page) return isGone ? sendBody(page, request, reply.code(404)) : send(page, request, reply)
    return reply.code(503).type('text/html; charset=utf-8').send(NOT_BUILT)
  })
  server.setNotFoundHandler((request) => {
    throw unknownRoute(request)
  })
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? '/'

/**
 * A file that is not there is not a page: a browser would take one for a script, a crawler for its
 * rules. No page has a dot in its name, but for what people mistake for one.
 */
const isFileName = (path: string): boolean =>
  path.startsWith('/assets/') || /\.\w+$/.test(extname(path))

/** Who types an address or follows a link; scripts and styles are not asked for as HTML. */
const isForPerson = ({ headers }: FastifyRequest): boolean =>
  /\btext\/html\b/i.test(headers.accept ?? '')

const unknownRoute = (request: FastifyRequest) =>
  refuse('route_not_found', `There is no ${request.method} ${pathOf(request).slice(0, 100)} here.`)

async function send(file: StaticFile, request: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    'cache-control': file.isImmutable ? FOR_EVER : ASK_AGAIN,
    etag: file.etag,
    vary: 'accept-encoding',
  })
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  return sendBody(file, request, reply)
}

async function sendBody(file: StaticFile, request: FastifyRequest, reply: FastifyReply) {
  const accepted = String(request.headers['accept-encoding'] ?? '')
  const { encoding, bytes } = await file.body(accepted)
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type(file.type).send(bytes)
}

/**
 * Sessions belong to one origin, and this machine has several names: whoever came by another one is
 * sent to the right one. Undefined: it is right, or not ours to judge.
 */
function otherName(request: FastifyRequest, origin: string): string | undefined {
  const own = new URL(origin)
  if (!isLoopback(own.hostname) || !URL.canParse(`http://${request.host}`)) return undefined
  const asked = new URL(`http://${request.host}`)
  const isOther = isLoopback(asked.hostname) && asked.hostname !== own.hostname
  return isOther && asked.port === own.port ? `${origin}${request.url}` : undefined
}

const NOT_BUILT = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<title>The web app is not built</title></head><body><h1>The web app is not built</h1>
<p>This server has no app to show. Run <code>npm run generate</code> and start it again.</p>
</body></html>
`

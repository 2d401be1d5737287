import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, resolve } from 'node:path'
import type { FakeHouse } from './fake-house.ts'

/** The web app as built, over an API that says what a test wants it to say. */
export interface FakeWeb {
  readonly url: string
  /** What was asked, as `POST /api/key`. */
  readonly asked: string[]
  stop(): Promise<void>
}

const DIST = resolve(import.meta.dirname, '../../../src/web/app/dist')
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

export async function startFakeWeb(house: FakeHouse): Promise<FakeWeb> {
  const asked: string[] = []
  const sessions = new Set<string>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake')
    if (!url.pathname.startsWith('/api/')) return sendFile(url.pathname, house, response)
    if (url.pathname === '/api/events') return holdOpen(response)
    void answer(request, url, response)
  })

  async function answer(request: IncomingMessage, url: URL, response: ServerResponse) {
    const path = url.pathname.slice('/api'.length)
    const method = request.method ?? 'GET'
    asked.push(`${method} /api${path}`)
    const session = /svc_session=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? ''
    const body = await bodyOf(request)
    const said = house.answer({
      method,
      path,
      query: url.searchParams,
      body,
      signedIn: sessions.has(session),
    })
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (said.signIn) {
      const made = randomBytes(16).toString('hex')
      sessions.add(made)
      headers['set-cookie'] = `svc_session=${made}; HttpOnly; SameSite=Strict; Path=/`
    }
    if (said.signOut) sessions.clear()
    response.writeHead(said.status ?? 200, headers).end(JSON.stringify(said.body))
  }

  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

/** As strict as the real one must be. */
function sendFile(path: string, house: FakeHouse, response: ServerResponse): void {
  const file = join(DIST, path)
  const found =
    path !== '/' && existsSync(file) && extname(file) !== '' ? file : join(DIST, 'index.html')
  response
    .writeHead(200, {
      'content-type': TYPES[extname(found)] ?? 'application/octet-stream',
      'content-security-policy': [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        `connect-src 'self' ${new URL(house.config.chain.rpc_url).origin} ${new URL(house.config.base_url).origin}`,
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    })
    .end(readFileSync(found))
}

function holdOpen(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n')
}

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += piece
  return text === '' ? {} : JSON.parse(text)
}

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { makeSignIn } from '../../../src/chain/sign-in.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { readStaticFiles } from '../../../src/web/http/static.ts'
import { openWebStage, RPC_URL, type WebStage } from '../../fakes/web/stage.ts'
import { codeOf, Visitor } from '../../fakes/web/visitor.ts'
import { until } from '../../until.ts'
import { freePort } from '../servers.ts'

/** The web app as files and headers. */
const WebServer = suite('web server')

const ORIGIN = 'http://127.0.0.1:8081'
const CHAIN_ID = 31_337
const SCRIPT = `export const text = '${'compress me '.repeat(500)}'\n`
const PAGE = '<!doctype html><title>App</title>\n'
const signIn = makeSignIn({ rpcUrl: 'http://127.0.0.1:1', chainId: CHAIN_ID })

let dist: string
let stage: WebStage

WebServer.before(async () => {
  dist = mkdtempSync(join(tmpdir(), 'svc-dist-'))
  mkdirSync(join(dist, 'assets'))
  writeFileSync(join(dist, 'index.html'), PAGE)
  writeFileSync(join(dist, '.inputs'), 'the builder alone')
  writeFileSync(join(dist, 'icon.svg'), '<svg/>')
  writeFileSync(join(dist, 'assets', 'app-1a2b.js'), SCRIPT)
  stage = await openWebStage({ origin: ORIGIN, signIn, files: readStaticFiles(dist) })
})
WebServer.after(async () => {
  await stage?.web.stop()
  rmSync(dist, { recursive: true, force: true })
})

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(stage.address + path, { headers, redirect: 'manual' })

WebServer('every page of the app is the one page, never kept without asking', async () => {
  for (const path of ['/', '/buy', '/jobs/job_1?tab=2', '/index.html']) {
    const answer = await get(path)
    assert.is(answer.status, 200, path)
    assert.is(await answer.text(), PAGE)
    assert.is(answer.headers.get('cache-control'), 'no-cache')
    assert.is(answer.headers.get('content-type'), 'text/html; charset=utf-8')
  }
  const etag = (await get('/')).headers.get('etag')!
  assert.is((await get('/', { 'if-none-match': etag })).status, 304)
})

WebServer('what has its content in its name is kept for ever', async () => {
  const answer = await get('/assets/app-1a2b.js')
  assert.match(answer.headers.get('cache-control')!, 'immutable')
  assert.is(answer.headers.get('content-type'), 'text/javascript; charset=utf-8')
  const icon = await get('/icon.svg')
  assert.is(icon.headers.get('cache-control'), 'no-cache')
})

WebServer('files are compressed as the browser takes them', async () => {
  const bytes = async (accepted: string) => {
    const visitor = new Visitor({ origin: ORIGIN, address: stage.address })
    const { headers } = await visitor.send('/assets/app-1a2b.js', {
      headers: { 'accept-encoding': accepted },
    })
    assert.is(headers.vary, 'accept-encoding')
    return { encoding: headers['content-encoding'], length: Number(headers['content-length']) }
  }
  const plain = await bytes('identity')
  assert.equal(plain, { encoding: undefined, length: SCRIPT.length })
  for (const [accepted, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', undefined],
  ] as const) {
    const { encoding: chosen, length } = await bytes(accepted)
    assert.is(chosen, encoding, accepted)
    if (encoding) assert.ok(length < SCRIPT.length / 10, `${length} bytes`)
  }
  const file = readStaticFiles(dist).get('/assets/app-1a2b.js')!
  const br = await file.body('br')
  const gz = await file.body('gzip')
  assert.is(String(brotliDecompressSync(br.bytes)), SCRIPT)
  assert.is(String(gunzipSync(gz.bytes)), SCRIPT)
})

WebServer('what is not there is told, and nothing outside of the app is served', async () => {
  const files = ['/favicon.ico', '/robots.txt?x=1', '/jobs/gone.map', '/%2e%2e/%2e%2e/package.json']
  const assets = ['/assets/gone.js', '/assets/gone', '/assets/%2e%2e%2f%2e%2e%2fpackage.json']
  for (const path of [...files, ...assets, '/api/gone']) {
    const answer = await new Visitor({ origin: ORIGIN, address: stage.address }).send(path)
    assert.is(answer.status, 404, path)
    assert.is(codeOf(answer), 'route_not_found')
    assert.is(answer.headers['cache-control'], 'no-store', path)
  }
  // A page of the app by that name, which the app itself will not know.
  assert.is(await (await get('/.inputs')).text(), PAGE)
})

WebServer(
  'a person at an address that looks like a file gets the page, and no cache keeps it',
  async () => {
    const address = '/explorer/address/name.eth'
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const etag = String((await get('/')).headers.get('etag'))
    const answer = await get(address, { accept, 'if-none-match': etag })
    assert.is(answer.status, 404)
    assert.is(await answer.text(), PAGE)
    assert.is(answer.headers.get('cache-control'), 'no-store')
    assert.match(
      String((await get('/api/gone.eth', { accept })).headers.get('content-type')),
      /json/,
    )
  },
)

WebServer('every answer forbids what no page of ours needs', async () => {
  for (const path of ['/', '/assets/app-1a2b.js', '/api/config', '/api/session', '/healthz']) {
    const { headers } = await get(path)
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, "default-src 'none'")
    assert.match(policy, "script-src 'self';")
    assert.match(policy, `connect-src 'self' ${RPC_URL} http://api.test;`)
    assert.match(policy, "frame-ancestors 'none'")
    assert.is(headers.get('x-content-type-options'), 'nosniff')
    assert.is(headers.get('referrer-policy'), 'no-referrer')
    assert.is(headers.get('strict-transport-security'), null, 'the app is not on https here')
    assert.ok(headers.get('x-request-id'))
  }
})

WebServer('who comes by another name of this machine is sent to the right one', async () => {
  const visitor = new Visitor({ origin: ORIGIN, address: stage.address })
  const other = await visitor.send('/buy?x=1', { headers: { host: 'localhost:8081' } })
  assert.is(other.status, 307)
  assert.is(other.headers['cache-control'], 'no-store')
  assert.is(other.headers.location, `${ORIGIN}/buy?x=1`)
  for (const host of ['127.0.0.1:8081', 'localhost:9999', 'app.test', 'a b']) {
    assert.is.not((await visitor.send('/', { headers: { host } })).status, 307, host)
  }
})

WebServer('a body that is too large, broken or too deep is refused in the envelope', async () => {
  const visitor = new Visitor({ origin: ORIGIN, address: stage.address })
  const post = (body: string) => visitor.send('/api/session', { method: 'POST', body })
  const cases = [
    ['{', 400],
    ['', 400],
    ['[]', 400],
    ['{"message":1,"signature":"0x"}', 400],
    ['['.repeat(LIMITS.jsonDepthMax + 1), 400],
    [`"${'x'.repeat(100_000)}"`, 413],
  ] as const
  for (const [body, status] of cases) {
    const answer = await post(body)
    assert.is(answer.status, status, body.slice(0, 40))
    assert.ok(JSON.parse(answer.text).error.message)
  }
})

WebServer('without a built app it says how to build one; the API works', async () => {
  const bare = await openWebStage({ origin: ORIGIN, signIn, files: readStaticFiles('/nowhere') })
  try {
    const answer = await fetch(bare.address)
    assert.is(answer.status, 503)
    assert.match(await answer.text(), 'npm run generate')
    assert.is((await fetch(`${bare.address}/api/config`)).status, 200)
  } finally {
    await bare.web.stop()
  }
})

WebServer(
  'it is ready once pools were heard: before that, no model would seem to be served',
  async () => {
    const fresh = await openWebStage({ origin: ORIGIN, signIn })
    assert.equal(await fresh.web.missing(), ['the pools'])
    fresh.bus.publish(SUBJECTS.poolSummary, { poolId: 'pool_1', draining: false, models: {} })
    await until('the pool is heard', async () => (await fresh.web.missing()).length === 0)
    await fresh.web.stop()
  },
)

WebServer('one address may send only so much at once, but is always told its health', async () => {
  const burst = { perSecond: 1, burst: 5 }
  const few = await openWebStage({ origin: ORIGIN, signIn, burst })
  try {
    const all = Array.from({ length: 12 }, () => fetch(`${few.address}/api/config`))
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    assert.ok(statuses.includes(200) && statuses.includes(429), statuses.join())
    assert.is((await fetch(`${few.address}/healthz`)).status, 200)
  } finally {
    await few.web.stop()
  }
})

WebServer('a page that listens is let go when the process ends', async () => {
  const own = await openWebStage({ origin: ORIGIN, signIn })
  const visitor = new Visitor({ origin: ORIGIN, address: own.address })
  const account = privateKeyToAccount(generatePrivateKey())
  await visitor.signIn(account, CHAIN_ID)
  const stream = await fetch(`${own.address}/api/events`, {
    headers: { cookie: visitor.cookie! },
  })
  assert.is(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.match(stream.headers.get('content-security-policy')!, 'frame-ancestors')
  const text = stream.text()
  await own.web.stop()
  assert.match(await text, 'retry: ')
  await until('the port to be closed', () =>
    fetch(own.address).then(
      () => false,
      () => true,
    ),
  )
})

WebServer('a page that lost the stream is told to ask everything anew', async () => {
  const visitor = new Visitor({ origin: ORIGIN, address: stage.address })
  await visitor.signIn(privateKeyToAccount(generatePrivateKey()), CHAIN_ID)
  const stop = new AbortController()
  const stream = await fetch(`${stage.address}/api/events`, {
    headers: { cookie: visitor.cookie!, 'last-event-id': '1' },
    signal: stop.signal,
  })
  let text = ''
  const pieces = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  await until('the page to be told', async () => {
    text += (await pieces.read()).value ?? ''
    return text.includes('"account"')
  })
  assert.match(text, 'event: stale')
  stop.abort()
})

WebServer('a port that is taken ends the start with a word', async () => {
  const port = await freePort()
  await stage.web.listen({ host: '127.0.0.1', port }).then(
    () => assert.unreachable('it listens twice'),
    (error: unknown) => assert.ok(error instanceof Error),
  )
})

WebServer.run()

import { createServer as createHttp, type RequestListener, type Server } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeGuard } from '../../../src/outbound/guard.ts'
import { makeWebhookSender } from '../../../src/outbound/sender.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeAuthority } from '../../fakes/webhooks/certificates.ts'
import { until } from '../../until.ts'

/** The sender against endpoints that do what they like, over real sockets and real TLS. */
const Sender = suite('webhook sender')

const HOST = 'hooks.example.com'
const DAY_MS = 24 * 60 * 60 * 1_000
const authority = makeAuthority('authority of a test')
const good = authority.issue({ names: [HOST] })
const endings: (() => void)[] = []

Sender.after(() => {
  for (const end of endings.splice(0)) end()
})

/** A sender for which `HOST` is on this machine, as development allows. */
function senderOf({
  ca = authority.certificate,
  attemptMs = 20_000,
  addresses = ['127.0.0.1'],
} = {}) {
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return addresses
  }
  const guard = makeGuard({ devTargets: true, resolve })
  const sender = makeWebhookSender({ guard, clock: systemClock, attemptMs, ca })
  endings.push(() => void sender.close())
  return { ...sender, asked, post: (url: string) => sender.send({ url, headers: {}, body: '{}' }) }
}

async function listening(server: Server | ReturnType<typeof createTcp>): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
  })
  endings.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
const tls = (listener: RequestListener, certificate = good) =>
  listening(createHttps(certificate, listener))
const plain = (listener: RequestListener) => listening(createHttp(listener))

Sender('an answer that breaks off has been given all the same', async () => {
  const breaksOff = (status: number) =>
    plain((_request, response) => {
      response.writeHead(status, { 'content-length': 100 })
      response.write('half', () => response.socket?.destroy())
    })
  const { post } = senderOf()
  const taken = await post(`http://${HOST}:${await breaksOff(200)}/`)
  assert.equal([taken.delivered, taken.status], [true, 200])
  const refused = await post(`http://${HOST}:${await breaksOff(500)}/`)
  assert.equal([refused.delivered, refused.status], [false, 500])
})

Sender('posts body and headers as they are, over TLS, to the host that the URL names', async () => {
  const seen: object[] = []
  const port = await tls((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const { method, url, headers } = request
      seen.push({ method, url, body, host: headers.host, type: headers['content-type'] })
      seen.push({ signature: headers['svc-signature'] })
      response.writeHead(204).end()
    })
  })
  const sender = senderOf()
  const answer = await sender.send({
    url: `https://${HOST}:${port}/in?a=1`,
    headers: { 'Svc-Signature': 't=1,v1=00' },
    body: '{"text":"grüße ✓"}',
  })
  assert.equal(
    { ...answer, latencyMs: 0 },
    { delivered: true, status: 204, error: null, answerStart: '', latencyMs: 0 },
  )
  assert.ok(answer.latencyMs >= 0)
  const type = 'application/json; charset=utf-8'
  assert.equal(seen, [
    { method: 'POST', url: '/in?a=1', body: '{"text":"grüße ✓"}', host: `${HOST}:${port}`, type },
    { signature: 't=1,v1=00' },
  ])
  assert.equal(sender.asked, [HOST])
})

Sender('a certificate that is not good for the host ends it before anything is sent', async () => {
  let requests = 0
  const count: RequestListener = (_, response) => {
    requests++
    response.end()
  }
  const past = { from: new Date(Date.now() - 9 * DAY_MS), to: new Date(Date.now() - DAY_MS) }
  const stranger = makeAuthority('somebody else').issue({ names: [HOST] })
  const cases = [
    [stranger, /not trusted/],
    [authority.issue({ names: ['other.example.com'] }), /another host/],
    [authority.issue({ names: [HOST], ...past }), /expired/],
  ] as const
  for (const [certificate, reason] of cases) {
    const port = await tls(count, certificate)
    const answer = await senderOf().post(`https://${HOST}:${port}/`)
    assert.equal([answer.delivered, answer.status], [false, null])
    assert.match(answer.error ?? '', reason)
  }
  assert.is(requests, 0)
})

Sender('the next attempt at a host is a new connection that resumes the TLS session', async () => {
  const seen: { isReused: boolean; socket: unknown }[] = []
  const port = await tls(({ socket }, response) => {
    seen.push({ isReused: (socket as TLSSocket).isSessionReused(), socket })
    response.end()
  })
  const sender = senderOf()
  for (let i = 0; i < 2; i++) {
    assert.ok((await sender.post(`https://${HOST}:${port}/`)).delivered)
  }
  assert.equal(
    seen.map(({ isReused }) => isReused),
    [false, true],
  )
  assert.is.not(seen[0]?.socket, seen[1]?.socket)
})

Sender('without an authority of its own only the public ones are trusted', async () => {
  const port = await tls((_, response) => response.end())
  const guard = makeGuard({ devTargets: true, resolve: async () => ['127.0.0.1'] })
  const sender = makeWebhookSender({ guard, clock: systemClock })
  endings.push(() => void sender.close())
  const answer = await sender.send({ url: `https://${HOST}:${port}/`, headers: {}, body: '{}' })
  assert.match(answer.error ?? '', /not trusted/)
})

Sender('connects to the address that was checked, however the name resolves next', async () => {
  let trapped = 0
  const trap = createTcp(() => trapped++)
  const port = await listening(trap)
  const lookups: string[] = []
  const resolve = async (host: string) => {
    // Public while it is checked, this machine ever after.
    return lookups.push(host) === 1 ? ['93.184.216.34'] : ['127.0.0.1']
  }
  const guard = makeGuard({ devTargets: false, resolve })
  const sender = makeWebhookSender({ guard, clock: systemClock, attemptMs: 20_000 })
  endings.push(() => void sender.close())
  const url = `https://${HOST}:${port}/`
  assert.ok((await guard.check(url)).ok)
  const answer = await sender.send({ url, headers: {}, body: '{}' })
  assert.match(answer.error ?? '', 'not public')
  assert.is(trapped, 0)

  // One look a connection: what the second would have said is never asked.
  let looks = 0
  const fickle = makeGuard({
    devTargets: true,
    resolve: async () => (looks++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']),
  })
  const reached = await plain((_, response) => response.end('here'))
  const next = makeWebhookSender({ guard: fickle, clock: systemClock, attemptMs: 20_000 })
  endings.push(() => void next.close())
  const url2 = `http://${HOST}:${reached}/`
  assert.is((await next.send({ url: url2, headers: {}, body: '{}' })).answerStart, 'here')
  assert.is(looks, 1)
})

Sender('an address in the URL that is not public is never connected to', async () => {
  let trapped = 0
  const port = await listening(createTcp(() => trapped++))
  const guard = makeGuard({ devTargets: false, resolve: async () => ['127.0.0.1'] })
  const sender = makeWebhookSender({ guard, clock: systemClock, attemptMs: 20_000 })
  endings.push(() => void sender.close())
  for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', '[::1]', 'localhost']) {
    const url = `https://${host}:${port}/`
    assert.not((await sender.send({ url, headers: {}, body: '{}' })).delivered, host)
  }
  assert.is(trapped, 0)
})

Sender('redirects are not followed', async () => {
  let requests = 0
  const port = await plain((request, response) => {
    requests++
    response.writeHead(307, { location: `http://${request.headers.host}/elsewhere` }).end('moved')
  })
  const answer = await senderOf().post(`http://${HOST}:${port}/in`)
  assert.equal([answer.delivered, answer.status, answer.answerStart], [false, 307, 'moved'])
  assert.match(answer.error ?? '', 'redirects are not followed')
  assert.is(requests, 1)
})

Sender('a status outside 2xx is a failure that keeps what was answered', async () => {
  const port = await plain((_, response) => response.writeHead(500).end('{"error":"boom"}'))
  const answer = await senderOf().post(`http://${HOST}:${port}/`)
  assert.equal(
    { ...answer, latencyMs: 0 },
    {
      delivered: false,
      status: 500,
      error: 'answered 500',
      answerStart: '{"error":"boom"}',
      latencyMs: 0,
    },
  )
})

Sender('a switch of protocols is an answer, and a failure', async () => {
  const { post } = senderOf()
  let closed = false
  const port = await listening(
    createTcp((socket) => {
      socket.once('close', () => {
        closed = true
      })
      socket.once('data', () =>
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
        ),
      )
    }),
  )
  const answer = await post(`http://${HOST}:${port}/`)
  assert.equal([answer.delivered, answer.status, answer.error], [false, 101, 'answered 101'])
  await until('the connection to end', () => closed)
})

Sender('of an answer without end only the start is read', async () => {
  let isCut = false
  const port = await plain((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write('ü'.repeat(5_000)));
    }
    response.on('drain', more).on('close', () => {
      isCut = true
    })
    response.writeHead(200)
    more()
  })
  const answer = await senderOf().post(`http://${HOST}:${port}/`)
  assert.ok(answer.delivered)
  assert.is(answer.answerStart, 'ü'.repeat(512))
  await until('the endpoint is cut off', () => isCut, 20_000)
})

Sender('half a character at the end of what is kept is left out', async () => {
  const port = await plain((_, response) => response.end(`x${'ü'.repeat(600)}`))
  const answer = await senderOf().post(`http://${HOST}:${port}/`)
  assert.is(answer.answerStart, `x${'ü'.repeat(511)}`)
})

Sender('nothing is decompressed', async () => {
  const packed = gzipSync('a'.repeat(1_000_000))
  const port = await plain((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)
  })
  const answer = await senderOf().post(`http://${HOST}:${port}/`)
  assert.ok(answer.delivered)
  assert.not.match(answer.answerStart, 'aaa')
  assert.ok(answer.answerStart.length <= 1_024)
})

Sender('whoever is slow is cut: in the handshake, before the answer, within it', async () => {
  const silent = await listening(createTcp())
  const mute = await plain(() => {})
  const slow = await plain((_, response) => {
    response.writeHead(200)
    const drip = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(drip))
  })
  for (const url of [
    `https://${HOST}:${silent}/`,
    `http://${HOST}:${mute}/`,
    `http://${HOST}:${slow}/`,
  ]) {
    const answer = await senderOf({ attemptMs: 500 }).post(url)
    assert.equal([answer.delivered, answer.status], [false, null], url)
    assert.match(answer.error ?? '', 'no complete answer within 0.5 s')
  }
})

Sender('a look-up that never ends is cut as well', async () => {
  const guard = makeGuard({ devTargets: false, resolve: () => new Promise(() => {}) })
  const sender = makeWebhookSender({ guard, clock: systemClock, attemptMs: 200 })
  const answer = await sender.send({ url: `https://${HOST}/`, headers: {}, body: '{}' })
  assert.match(answer.error ?? '', 'no complete answer')
})

Sender('what is wrong is said in words, and names no address', async () => {
  const gone = createHttp()
  const port = await listening(gone)
  await new Promise((resolve) => gone.close(resolve))
  const closing = await listening(createTcp((socket) => socket.destroy()))
  const odd = await listening(createTcp((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')))
  const large = await plain((_, response) => {
    response.writeHead(200, { 'x-large': 'x'.repeat(20_000) }).end()
  })
  for (const [url, text] of [
    [`http://${HOST}:${port}/`, /refused/],
    [`http://${HOST}:${closing}/`, /closed before there was an answer/],
    [`http://${HOST}:${odd}/`, /not valid HTTP|closed before/],
    [`https://${HOST}:${odd}/`, /TLS handshake/],
    [`http://${HOST}:${large}/`, /headers of the answer are too large/],
  ] as const) {
    const { error } = await senderOf().post(url)
    assert.match(error ?? '', text)
    assert.not.match(error ?? '', '127.0.0.1')
  }
})

Sender('an endpoint that closes each connection gets each delivery', async () => {
  const port = await plain((_, response) => response.setHeader('connection', 'close').end())
  const sender = senderOf()
  for (let i = 0; i < 5; i++) assert.ok((await sender.post(`http://${HOST}:${port}/`)).delivered)
})

Sender('a host of two addresses is reached when one of them does not answer', async () => {
  const port = await plain((_, response) => response.end())
  const sender = senderOf({ addresses: ['::1', '127.0.0.1'] })
  assert.ok((await sender.post(`http://${HOST}:${port}/`)).delivered)
})

Sender('closing cuts what is under way', async () => {
  let arrived = 0
  const port = await plain(() => arrived++)
  const sender = senderOf()
  const sent = sender.post(`http://${HOST}:${port}/`)
  await until('the request is under way', () => arrived > 0, 20_000)
  await sender.close()
  assert.is((await sent).error, 'the attempt was cut short')
})

Sender.run()

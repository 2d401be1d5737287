import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { err } from '../../../src/domain/result.ts'
import { KEY, openStage, type Stage } from '../../fakes/edge/stage.ts'
import { openWebStage, type WebStage } from '../../fakes/web/stage.ts'

/** Requests that mean one thing to a proxy and another to a server behind it, and floods. */
const ORIGIN = 'http://web.test'
const ANSWER_WITHIN_MS = 30_000

interface Target {
  readonly url: string
  /** Head of a POST that is read as far as its body. */
  readonly post: readonly string[]
}
interface Context {
  edge: Stage
  web: WebStage
  targets: Readonly<Record<'edge' | 'web', Target>>
}
const Http = suite<Context>('security: HTTP')
Http.before(async (context) => {
  context.edge = await openStage()
  context.web = await openWebStage({
    origin: ORIGIN,
    signIn: { verify: async () => err('not signed') },
  })
  context.targets = {
    edge: {
      url: context.edge.url,
      post: [
        ...['POST /v1/chat/completions HTTP/1.1', 'host: x', `authorization: Bearer ${KEY}`],
        'content-type: application/json',
      ],
    },
    web: {
      url: context.web.address,
      post: [
        ...['POST /api/session HTTP/1.1', 'host: x', `origin: ${ORIGIN}`],
        'content-type: application/json',
      ],
    },
  }
})
Http.after(async ({ edge, web }) => {
  await edge.close()
  await web.web.stop()
})

/** All that comes back until the other side closes. */
function exchange(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    let said = ''
    const over = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no end within ${ANSWER_WITHIN_MS} ms; so far: ${said.slice(0, 300)}`))
    }, ANSWER_WITHIN_MS)
    const done = () => {
      clearTimeout(over)
      resolve(said)
    }
    socket.setEncoding('latin1').on('data', (piece) => {
      said += piece
    })
    // A server that closes on bytes it does not want may reset what is still under way.
    socket.on('error', done)
    socket.on('close', done)
  })
}
const statuses = (said: string) =>
  [...said.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((m) => Number(m[1]))
const lines = (...text: readonly string[]) => `${text.join('\r\n')}\r\n\r\n`

/** What follows the ambiguous request, and must never be taken for one of its own. */
const SMUGGLED = lines(
  ...['GET /v1/account HTTP/1.1', 'host: x', `authorization: Bearer ${KEY}`, 'connection: close'],
)

const AMBIGUOUS: Readonly<Record<string, (post: readonly string[]) => string>> = {
  'a length and chunks': (post) =>
    `${lines(...post, 'content-length: 5', 'transfer-encoding: chunked')}0\r\n\r\n${SMUGGLED}`,
  'chunks and a length': (post) =>
    `${lines(...post, 'transfer-encoding: chunked', 'content-length: 5')}0\r\n\r\n${SMUGGLED}`,
  'two lengths that differ': (post) =>
    `${lines(...post, 'content-length: 2', 'content-length: 200')}{}${SMUGGLED}`,
  'two lengths in one line': (post) => `${lines(...post, 'content-length: 2, 200')}{}${SMUGGLED}`,
  'a length with a sign': (post) => `${lines(...post, 'content-length: +2')}{}${SMUGGLED}`,
  'a length in hex': (post) => `${lines(...post, 'content-length: 0x2')}{}${SMUGGLED}`,
  'a length below nothing': (post) => `${lines(...post, 'content-length: -2')}{}${SMUGGLED}`,
  'an encoding nobody knows': (post) =>
    `${lines(...post, 'transfer-encoding: xchunked')}0\r\n\r\n${SMUGGLED}`,
  'chunks that are not the last encoding': (post) =>
    `${lines(...post, 'transfer-encoding: chunked, identity')}0\r\n\r\n${SMUGGLED}`,
  'a space before the colon': (post) =>
    `${lines(...post, 'transfer-encoding : chunked', 'content-length: 2')}{}${SMUGGLED}`,
  'a chunk size that is no number': (post) =>
    `${lines(...post, 'transfer-encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  'a chunk size too large for a number': (post) =>
    `${lines(...post, 'transfer-encoding: chunked')}FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  'a chunk longer than it says': (post) =>
    `${lines(...post, 'transfer-encoding: chunked')}1\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  'a line break alone between chunks': (post) =>
    `${lines(...post, 'transfer-encoding: chunked')}2\n{}\n0\n\n${SMUGGLED}`,
  'a folded header': (post) =>
    `${lines(...post, 'transfer-encoding:\r\n chunked', 'content-length: 2')}{}${SMUGGLED}`,
  'a null in a header': (post) => `${lines(...post, 'x: a\0b', 'content-length: 2')}{}${SMUGGLED}`,
}

/** Heads, and what only looks like a body, that grow without end. */
const FLOODS: Readonly<Record<string, (post: readonly string[]) => string>> = {
  'one header of 20 KiB': (post) => `${lines(...post, `x: ${'x'.repeat(20_480)}`)}${SMUGGLED}`,
  'four thousand headers': (post) =>
    `${lines(...post, ...Array.from({ length: 4_000 }, (_, i) => `x-${i}: y`))}${SMUGGLED}`,
  'as many cookies': (post) =>
    `${lines(...post, ...Array.from({ length: 4_000 }, () => 'cookie: a=b'))}${SMUGGLED}`,
  'a path of 20 KiB': (post) =>
    `${lines(`GET /${'a/'.repeat(10_240)} HTTP/1.1`, ...post.slice(1))}${SMUGGLED}`,
  'a chunk with an extension of 1 MiB': (post) =>
    `${lines(...post, 'transfer-encoding: chunked')}2;${'x'.repeat(1_048_576)}\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  'trailers of 1 MiB': (post) =>
    `${lines(...post, 'transfer-encoding: chunked')}2\r\n{}\r\n0\r\n${'x: y\r\n'.repeat(174_763)}\r\n${SMUGGLED}`,
}

async function honest(url: string): Promise<void> {
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
  assert.is(answer.status, 200)
  await answer.text()
}

for (const where of ['edge', 'web'] as const) {
  for (const [what, make] of Object.entries(AMBIGUOUS)) {
    Http(`${where}: ${what}: refused, and nothing behind it is read`, async ({ targets }) => {
      const said = await exchange(targets[where].url, make(targets[where].post))
      assert.equal(statuses(said), [400], said.slice(0, 400))
      assert.match(said, /connection: close/i)
      assert.not.match(said, /credits_remaining/)
    })
  }

  Http(`${where}: line breaks alone end no header block in secret`, async ({ targets }) => {
    const [line = '', ...rest] = targets[where].post
    const said = await exchange(
      targets[where].url,
      `${[line, ...rest, 'content-length: 2'].join('\n')}\n\n{}${SMUGGLED}`,
    )
    // Either read as line breaks by everybody, or refused; never a second request in a body.
    assert.ok(statuses(said).length <= 2 && statuses(said)[0]! >= 400, said.slice(0, 400))
  })

  Http(`${where}: a compressed body is refused, and never unpacked`, async ({ targets }) => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20))
    const small = gzipSync(JSON.stringify({ model: 'm', messages: [] }))
    for (const packed of [small, bomb]) {
      const head = lines(
        ...targets[where].post,
        ...['content-encoding: gzip', `content-length: ${packed.length}`, 'connection: close'],
      )
      const said = await exchange(targets[where].url, Buffer.concat([Buffer.from(head), packed]))
      assert.ok([400, 413].includes(statuses(said)[0]!), said.slice(0, 400))
      if (packed === small) assert.match(said, /compressed/)
    }
  })

  Http(`${where}: a body that grows beyond its limit by chunks is cut off`, async ({ targets }) => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const bytes = `${lines(...targets[where].post, 'transfer-encoding: chunked', 'connection: close')}${chunk.repeat(96)}0\r\n\r\n`
    const said = await exchange(targets[where].url, bytes)
    assert.equal(statuses(said), [413], said.slice(0, 400))
  })

  for (const [what, flood] of Object.entries(FLOODS)) {
    Http(
      `${where}: ${what}: cut off with its reason, whatever is behind it`,
      async ({ targets }) => {
        const said = await exchange(targets[where].url, flood(targets[where].post))
        assert.ok([400, 413, 431].includes(statuses(said)[0]!), said.slice(0, 400))
        assert.is(statuses(said).length, 1)
        assert.not.match(said, /credits_remaining/)
        await honest(targets[where].url)
      },
    )
  }

  Http(`${where}: paths that climb lead nowhere`, async ({ targets }) => {
    const paths = [
      ...['/../../etc/passwd', '/assets/../../../package.json', '/%2e%2e/%2e%2e/etc/passwd'],
      ...['/assets/..%2f..%2f..%2fpackage.json', '/..%5c..%5cetc/passwd', '//etc/passwd', '/%00'],
      ...['/docs/../../../package.json', '/docs/..%2f..%2fpackage.json', '/v1/../v1/jobs'],
      ...['/v1/models/..%2f..%2faccount', '/api/jobs/%2e%2e%2fkey'],
    ]
    for (const path of paths) {
      const said = await exchange(
        targets[where].url,
        lines(`GET ${path} HTTP/1.1`, 'host: x', 'connection: close'),
      )
      assert.not.match(said, /root:|"scripts"|credits_remaining/, path)
      assert.is.not(statuses(said)[0], 500, `${path}: ${said.slice(0, 200)}`)
    }
  })

  Http(
    `${where}: fifty requests at once on one connection get fifty answers, in order`,
    async ({ targets }) => {
      const one = lines('GET /healthz HTTP/1.1', 'host: x')
      const last = lines('GET /healthz HTTP/1.1', 'host: x', 'connection: close')
      const said = await exchange(targets[where].url, one.repeat(49) + last)
      assert.equal(
        statuses(said),
        Array.from({ length: 50 }, () => 200),
      )
    },
  )
}

Http('slow senders are cut off, and hold up nobody', async ({ targets, edge }) => {
  const slow = Object.values(targets).flatMap(({ url, post }) => [
    ...Array.from({ length: 100 }, () => trickle(url, post.join('\r\n'), '\r\nx: y')),
    // A head that is whole, and a body that never is.
    ...Array.from({ length: 50 }, () => trickle(url, lines(...post, 'content-length: 900'), 'x')),
  ])
  await Promise.all(slow.map(({ connected }) => connected))
  const answer = await fetch(`${edge.url}/v1/account`, {
    headers: { authorization: `Bearer ${KEY}` },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  })
  assert.is(answer.status, 200, 'an honest request is answered while they dawdle')
  await answer.text()
  const ended = Promise.all(slow.map(({ ended: each }) => each))
  const late = sleep(90_000, 'late' as const, { ref: false })
  const said = await Promise.race([ended, late])
  for (const { socket } of slow) socket.destroy()
  if (said === 'late') throw new Error('slow senders were not cut off within 90 s')
  for (const one of said) assert.match(one, /^HTTP\/1\.1 408/)
})

/** Says a little more every second, and never ends. */
function trickle(url: string, begin: string, more: string) {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect(Number(port), hostname)
  const connected = new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  socket.write(begin)
  const drip = setInterval(() => socket.write(more), 1_000)
  const ended = new Promise<string>((resolve) => {
    let said = ''
    socket.setEncoding('utf8').on('data', (piece) => {
      said += piece
    })
    socket.on('error', () => {})
    socket.once('close', () => {
      clearInterval(drip)
      resolve(said)
    })
  })
  return { socket, connected, ended }
}

Http.run()

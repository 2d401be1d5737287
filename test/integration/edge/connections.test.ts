import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exchangeRaw, openChat } from '../../fakes/edge/raw-http.ts'
import { chat, chunksOf, KEY, openStage, type Stage } from '../../fakes/edge/stage.ts'
import { dial } from '../../raw-caller.ts'
import { pause, SOON_MS, until } from '../../until.ts'

/** What comes below a well-formed request, and readers that do not read. */
const Connections = suite<{ stage: Stage }>('edge: connections')
Connections.before.each(async (context) => {
  context.stage = await openStage()
})
Connections.after.each(async ({ stage }) => stage.close())

/** Status, code and headers of one raw answer in the envelope. */
function read(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const headers = new Map(
    fields.map((field) => {
      const [name = '', value = ''] = field.split(': ')
      return [name.toLowerCase(), value] as const
    }),
  )
  const { error } = JSON.parse(body)
  assert.is(headers.get('content-type'), 'application/json; charset=utf-8')
  assert.ok(headers.get('x-request-id'))
  assert.is(typeof error.message, 'string')
  return { status: Number(line.split(' ')[1]), code: error.code, headers }
}
const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`

Connections('a declared oversize is refused before it is read', async ({ stage }) => {
  const answer = await exchangeRaw(
    stage.url,
    head(
      'POST /v1/chat/completions HTTP/1.1',
      'host: x',
      `authorization: Bearer ${KEY}`,
      'content-type: application/json',
      'content-length: 99999999',
    ),
  )
  const { status, code } = read(answer)
  assert.equal([status, code], [413, 'request_too_large'])
})

Connections('a connection goes on after a body that was refused', async ({ stage }) => {
  for (const [body, ...fields] of [
    ['{bad'],
    ['{}', 'content-encoding: gzip'],
    ['{"__proto__":{}}'],
    ['['.repeat(99)],
    ['{}', 'content-type: text/plain'],
  ] as const) {
    const type = fields.some((field) => field.startsWith('content-type'))
      ? []
      : ['content-type: application/json']
    const refused = head(
      'POST /v1/chat/completions HTTP/1.1',
      'host: x',
      `authorization: Bearer ${KEY}`,
      ...type,
      ...fields,
      `content-length: ${body.length}`,
    )
    const next = head('GET /healthz HTTP/1.1', 'host: x', 'connection: close')
    const answers = await exchangeRaw(stage.url, `${refused}${body}${next}`)
    assert.equal(answers.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 400', 'HTTP/1.1 200'], body)
  }
})

Connections('what is not HTTP is answered in the envelope', async ({ stage }) => {
  for (const bytes of ['nonsense\r\n\r\n', head('GET / HTTP/9.9'), '\x16\x03\x01\x02\x00\x01']) {
    const { status, code, headers } = read(await exchangeRaw(stage.url, bytes))
    assert.equal([status, code], [400, 'invalid_request'])
    assert.is(headers.get('connection'), 'close')
  }
})

Connections('headers above 16 KiB are a 431, however they are cut', async ({ stage }) => {
  const long = head('GET /healthz HTTP/1.1', 'host: x', `long: ${'x'.repeat(20_000)}`)
  const many = head(
    'GET /healthz HTTP/1.1',
    'host: x',
    ...Array.from({ length: 2_000 }, (_, i) => `header-${i}: some value`),
  )
  const path = head(`GET /${'x'.repeat(20_000)} HTTP/1.1`, 'host: x')
  const endless = `${head('GET /healthz HTTP/1.1', 'host: x').slice(0, -2)}x: ${'y'.repeat(2_000_000)}`
  for (const bytes of [long, many, path, endless]) {
    const { status, code } = read(await exchangeRaw(stage.url, bytes))
    assert.equal([status, code], [431, 'headers_too_large'])
  }
})

Connections('who goes on sending after the answer is not reset', async ({ stage }) => {
  const { hostname, port } = new URL(stage.url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  let heard = ''
  let failure: string | undefined
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard += text
  })
  socket.on('error', ({ message }) => {
    failure = message
  })
  try {
    socket.write(`GET /healthz HTTP/1.1\r\nhost: x\r\nlong: ${'x'.repeat(20_000)}`)
    await until('the answer', () => heard.endsWith('}'), SOON_MS)
    assert.is(read(heard).status, 431)
    for (let n = 0; n < 5; n++) {
      socket.write('x'.repeat(20_000))
      await pause(50)
    }
    assert.is(failure, undefined)
    socket.end()
    await until('the end of the connection', () => socket.destroyed, SOON_MS)
    assert.is(failure, undefined)
  } finally {
    socket.destroy()
  }
})

Connections('what Node would answer in its own words is answered in ours', async ({ stage }) => {
  const noHost = read(
    await exchangeRaw(stage.url, head('GET /v1/models HTTP/1.1', 'connection: close')),
  )
  assert.equal([noHost.status, noHost.code], [400, 'invalid_request'])
  const expecting = read(
    await exchangeRaw(
      stage.url,
      head('GET /v1/models HTTP/1.1', 'host: x', 'expect: something', 'connection: close'),
    ),
  )
  assert.equal([expecting.status, expecting.code], [401, 'missing_api_key'])
  const proxy = read(await exchangeRaw(stage.url, head('CONNECT a:443 HTTP/1.1', 'host: a:443')))
  assert.equal([proxy.status, proxy.code], [405, 'method_not_allowed'])
  assert.ok(proxy.headers.get('allow'))
  const star = read(
    await exchangeRaw(stage.url, head('OPTIONS * HTTP/1.1', 'host: x', 'connection: close')),
  )
  assert.equal([star.status, star.code], [404, 'route_not_found'])
  const upgrade = read(
    await exchangeRaw(
      stage.url,
      head(
        'GET /v1/models HTTP/1.1',
        'host: x',
        'upgrade: websocket',
        'connection: upgrade, close',
      ),
    ),
  )
  assert.equal([upgrade.status, upgrade.code], [401, 'missing_api_key'])
  const old = await exchangeRaw(stage.url, 'GET /healthz HTTP/1.0\r\n\r\n')
  assert.match(old, /^HTTP\/1\.1 200 /)
})

Connections(
  'nonsense in the middle of an answer cuts it, and writes nothing into it',
  async (world) => {
    const { stage } = world
    stage.play = ({ jobId }) => stage.say(...chunksOf(jobId, ['Hel']))
    const body = JSON.stringify(chat({ stream: true }))
    const { socket, heard, over } = dial(stage.url)
    socket.write(
      head(
        'POST /v1/chat/completions HTTP/1.1',
        'host: x',
        `authorization: Bearer ${KEY}`,
        'content-type: application/json',
        `content-length: ${body.length}`,
      ) + body,
    )
    await until('the stream began', () => heard().includes('"Hel"'), SOON_MS)
    socket.write('nonsense\r\n\r\n')
    await over
    assert.is(heard().match(/HTTP\/1\.1/g)?.length, 1)
    await until('the job was cancelled', () => stage.commands.at(-1)?.type === 'CancelJob', SOON_MS)
  },
)

Connections(
  'a reader that lets a mebibyte pile up is cut off, its job cancelled',
  async (world) => {
    const { stage } = world
    const piece = 'x'.repeat(64 * 1024)
    stage.play = async ({ jobId }) => {
      for (let seq = 0; seq < 400; seq++) {
        stage.say({ type: 'chunk', jobId, attempt: 1, seq, text: piece })
        if (seq % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 2))
      }
    }
    const response = await openChat(stage.url, chat({ stream: true }))
    response.on('error', () => {})
    await until('the job was cancelled', () => stage.commands.at(-1)?.type === 'CancelJob', SOON_MS)
  },
)

Connections.run()

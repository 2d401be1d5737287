import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exchangeRaw } from '../../fakes/edge/raw-http.ts'
import { call, jsonOf, openStage, type Stage, type StageOptions } from '../../fakes/edge/stage.ts'
import { SOON_MS, until } from '../../until.ts'

/** The burst limit of an address, as its callers meet it. */
const Burst = suite<{ open(options: StageOptions): Promise<Stage>; opened: Stage[] }>(
  'edge: bursts',
)
Burst.before.each((context) => {
  context.opened = []
  context.open = async (options) => {
    const stage = await openStage(options)
    context.opened.push(stage)
    return stage
  }
})
Burst.after.each(async ({ opened }) => {
  await Promise.all(opened.map((stage) => stage.close()))
})

/** Slow enough that no test sees a token come back, however busy its machine. */
const TERMS = { perSecond: 0.01, burst: 10 }
const forwarded = (addresses: string) => ({ 'x-forwarded-for': addresses })

/** How many of `count` requests, one after the other, are not refused for being too many. */
async function passed(stage: Stage, count: number, headers: object = {}): Promise<number> {
  let answered = 0
  for (let i = 0; i < count; i++) {
    if ((await call(stage, '/v1/account', { headers })).status !== 429) answered++
  }
  return answered
}

Burst('what is too much is a 429 that says when to come back', async ({ open }) => {
  const stage = await open({ burst: TERMS })
  assert.is(await passed(stage, 10), 10)
  const response = await call(stage, '/v1/account')
  const { error } = await jsonOf(response)
  assert.equal(
    [response.status, error.code, error.type, error.param],
    [429, 'rate_limited', 'rate_limit_error', null],
  )
  assert.match(error.message, /0\.01 a second, and 10 at once/)
  assert.is(response.headers.get('retry-after'), String(error.details.retry_after))
  assert.ok(error.details.retry_after >= 1)
  assert.ok(response.headers.get('x-request-id'))
  assert.is(response.headers.get('x-svc-credits-remaining'), null, 'nobody has looked at the key')
})

Burst('it comes before the key, and holds for every path and method', async ({ open }) => {
  const stage = await open({ burst: TERMS })
  await passed(stage, 10)
  const reads = stage.keys.reads
  for (const [path, method] of [
    ['/v1/account', 'GET'],
    ['/v1/models', 'HEAD'],
    ['/v1/models', 'OPTIONS'],
    ['/v1/chat/completions', 'GET'],
    ['/v1/nothing', 'GET'],
    ['/v1/models/%zz', 'GET'],
    ['/', 'GET'],
    ['/docs', 'GET'],
  ] as const) {
    const response = await call(stage, path, { method, key: null })
    assert.is(response.status, 429, `${method} ${path}`)
  }
  const body = { body: '{broken', key: null }
  assert.is((await call(stage, '/v1/chat/completions', body)).status, 429)
  assert.is(stage.keys.reads, reads)
})

Burst('whoever watches over the edge is not counted', async ({ open }) => {
  const stage = await open({ burst: { ...TERMS, burst: 2 } })
  for (let i = 0; i < 10; i++) {
    assert.is((await call(stage, '/healthz', { key: null })).status, 200)
    assert.is((await call(stage, '/readyz?x=1', { key: null })).status, 200)
  }
  assert.is(await passed(stage, 3), 2)
})

Burst('without a trusted proxy no header tells another address', async ({ open }) => {
  const stage = await open({ burst: TERMS })
  let answered = 0
  for (let i = 0; i < 20; i++) {
    answered += await passed(stage, 1, {
      ...forwarded(`203.0.113.${i}`),
      forwarded: `for=10.0.0.${i}`,
    })
  }
  assert.is(answered, 10)
})

for (const trustProxy of ['127.0.0.1', 'loopback', 1] as const) {
  Burst(`behind a trusted proxy (${trustProxy}) callers are told apart`, async ({ open }) => {
    const stage = await open({ burst: TERMS, trustProxy })
    assert.is(await passed(stage, 12, forwarded('203.0.113.1')), 10)
    assert.is(await passed(stage, 12, forwarded('203.0.113.2')), 10)
    assert.is(await passed(stage, 12, forwarded('2001:db8:1:2::1')), 10)
    assert.is(await passed(stage, 12, forwarded('2001:db8:1:2::ffff')), 0, 'the same /64')
    assert.is(await passed(stage, 12, forwarded('::ffff:203.0.113.1')), 0, 'an IPv4 address')
    // What the caller wrote itself stands before what the proxy appended.
    for (let i = 0; i < 3; i++) {
      assert.is(await passed(stage, 1, forwarded(`198.51.100.${i}, 203.0.113.1`)), 0)
    }
  })
}

Burst('a proxy that is not among the trusted ones is a caller', async ({ open }) => {
  const stage = await open({ burst: TERMS, trustProxy: '10.0.0.0/8' })
  assert.is(await passed(stage, 6, forwarded('203.0.113.1')), 6)
  assert.is(await passed(stage, 6, forwarded('203.0.113.2')), 4)
})

Burst('text that is no address counts as its connection', async ({ open }) => {
  const stage = await open({ burst: TERMS, trustProxy: true })
  let answered = 0
  for (let i = 0; i < 20; i++) answered += await passed(stage, 1, forwarded(`nonsense-${i}`))
  assert.is(answered, 10)
})

Burst('two edges share one limit', async ({ open }) => {
  const stage = await open({ burst: TERMS })
  const other = await open({ burst: TERMS, beside: stage, edgeId: 'other' })
  const answered: number[] = []
  for (let i = 0; i < 10; i++) {
    for (const edge of [stage, other]) {
      answered.push(await passed(edge, 1))
      // Longer than edges may be apart.
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
  const total = answered.reduce((sum, one) => sum + one, 0)
  assert.ok(total >= 10 && total <= 13, `${total} of 20`)
})

Burst('with the shared buckets away each edge goes on by itself', async ({ open }) => {
  const stage = await open({ burst: TERMS })
  const other = await open({ burst: TERMS, beside: stage, edgeId: 'other' })
  stage.bursts.away = true
  assert.equal([await passed(stage, 12), await passed(other, 12)], [10, 10])
  stage.bursts.away = false
  await new Promise((resolve) => setTimeout(resolve, 600))
  const settlings = stage.bursts.settlings
  await passed(stage, 1)
  await until('the edges settle again', () => stage.bursts.settlings > settlings, SOON_MS)
})

Burst('a refused request leaves its connection usable', async ({ open }) => {
  const stage = await open({ burst: { ...TERMS, burst: 1 } })
  await passed(stage, 1)
  const body = JSON.stringify({ model: 'x'.repeat(100_000) })
  const post =
    'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n' +
    `content-length: ${body.length}\r\n\r\n${body}`
  const answers = await exchangeRaw(
    stage.url,
    `${post}GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
  )
  assert.match(answers, /^HTTP\/1\.1 429 .*HTTP\/1\.1 200 /s)
})

Burst.run()

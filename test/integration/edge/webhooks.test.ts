import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { apiKeyHash } from '../../../src/domain/hash.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { EVENT_TYPES } from '../../../src/messages/webhook.ts'
import { call, DOCS_URL, jsonOf, openStage, type Stage, WALLET } from '../../fakes/edge/stage.ts'
import { makeWebhookHouse } from '../../fakes/webhooks/webhook-house.ts'

/** /v1/webhooks, with the real service behind the edge. */
const Webhooks = suite<{ stage: Stage; house: ReturnType<typeof makeWebhookHouse> }>(
  'edge: webhooks',
)
Webhooks.before.each(async (context) => {
  context.stage = await openStage()
  context.house = makeWebhookHouse({ bus: context.stage.bus })
  await context.house.start()
})
Webhooks.after.each(async ({ stage, house }) => {
  await house.stop()
  await stage.close()
})

const PATH = '/v1/webhooks'
const SECRET = 'a-secret-of-a-test'
const GOOD = { url: 'https://example.com/hooks', events: ['job.completed'], secret: SECRET }
const post = (stage: Stage, body: unknown, headers: object = {}) =>
  call(stage, PATH, { body, headers })
const made = async (stage: Stage, body: unknown = GOOD) => jsonOf(await post(stage, body))
const errorOf = async (response: Response) => (await jsonOf(response)).error

Webhooks('made: 201 with the webhook, never with its secret', async ({ stage, house }) => {
  const response = await post(stage, { ...GOOD, unknown: 1 })
  assert.is(response.status, 201)
  assert.is(response.headers.get('x-svc-credits-remaining'), '1000')
  const text = await response.text()
  assert.not.match(text, SECRET)
  const { id, created_at, ...rest } = JSON.parse(text)
  assert.match(id, /^wh_[0-9a-z]{24}$/)
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal(rest, { url: GOOD.url, events: GOOD.events, status: 'active' })
  const [kept] = (await house.records.of(WALLET)).webhooks
  assert.is(house.secrets.open(kept!), SECRET)
})

Webhooks('listed: all of the wallet, newest first, without secrets', async ({ stage }) => {
  assert.equal(await jsonOf(await call(stage, PATH)), { object: 'list', data: [] })
  const first = await made(stage)
  const second = await made(stage, { ...GOOD, events: EVENT_TYPES })
  const response = await call(stage, PATH)
  assert.is(response.status, 200)
  const text = await response.text()
  assert.equal(JSON.parse(text), { object: 'list', data: [second, first] })
  assert.not.match(text, SECRET)
})

Webhooks('deleted: 200 once, then 404, as one that never was', async ({ stage }) => {
  const { id } = await made(stage)
  const gone = await call(stage, `${PATH}/${id}`, { method: 'DELETE' })
  assert.is(gone.status, 200)
  assert.equal(await jsonOf(gone), { id, deleted: true })
  for (const each of [id, `wh_${'0'.repeat(24)}`, 'nonsense', '%20']) {
    const response = await call(stage, `${PATH}/${each}`, { method: 'DELETE' })
    assert.is(response.status, 404, each)
    const { code, type, param, docs } = await errorOf(response)
    assert.equal([code, type, param], ['webhook_not_found', 'not_found_error', null])
    assert.is(docs, `${DOCS_URL}/api-reference/errors#webhook_not_found`)
  }
  assert.equal((await jsonOf(await call(stage, PATH))).data, [])
})

Webhooks('deleted by clients that say what no body is of, or send one', async ({ stage }) => {
  const headers = { 'content-type': 'application/json' }
  const { id } = await made(stage)
  const bare = await call(stage, `${PATH}/${id}`, { method: 'DELETE', headers })
  assert.is(bare.status, 200)
  const { id: other } = await made(stage)
  const bodied = await call(stage, `${PATH}/${other}`, { method: 'DELETE', body: {} })
  assert.is(bodied.status, 200)
})

Webhooks('a webhook of another wallet is not there', async ({ stage }) => {
  const { id } = await made(stage)
  const key = `svc_live_${'b'.repeat(32)}`
  const wallet = toAddress(`0x${'77'.repeat(20)}`)
  await stage.keys.set(apiKeyHash(key), { wallet, createdAt: 1, status: 'active' })
  assert.equal((await jsonOf(await call(stage, PATH, { key }))).data, [])
  const response = await call(stage, `${PATH}/${id}`, { method: 'DELETE', key })
  assert.is(response.status, 404)
  assert.is((await errorOf(response)).code, 'webhook_not_found')
  assert.is((await jsonOf(await call(stage, PATH))).data.length, 1)
})

Webhooks('a body that is not right is refused with the field that is wrong', async ({ stage }) => {
  const { url, events, secret } = GOOD
  const cases: readonly (readonly [unknown, string | null])[] = [
    [{ events, secret }, 'url'],
    [{ url: 7, events, secret }, 'url'],
    [{ url: null, events, secret }, 'url'],
    [{ url, secret }, 'events'],
    [{ url, events: 'job.completed', secret }, 'events'],
    [{ url, events: [], secret }, 'events'],
    [{ url, events: ['job.completed', 'job.painted'], secret }, 'events[1]'],
    [{ url, events: [7], secret }, 'events[0]'],
    [{ url, events: ['*'], secret }, 'events[0]'],
    [{ url, events }, 'secret'],
    [{ url, events, secret: 7 }, 'secret'],
    [{ url, events, secret: '' }, 'secret'],
    [{ url, events, secret: '1234567' }, 'secret'],
    [{ url, events, secret: 'x'.repeat(257) }, 'secret'],
    [{ url, events, secret: `12345678\ud800` }, 'secret'],
    [[], null],
    ['{', null],
  ]
  for (const [body, param] of cases) {
    const response = await post(stage, body)
    const what = JSON.stringify(body)
    assert.is(response.status, 400, what)
    const error = await errorOf(response)
    assert.equal([error.code, error.param], ['invalid_request', param], what)
  }
  assert.equal((await jsonOf(await call(stage, PATH))).data, [])
})

Webhooks('what is at the edge of right passes', async ({ stage }) => {
  for (const secret of ['12345678', 'ü'.repeat(8), '😀'.repeat(256), ' '.repeat(8)]) {
    assert.is((await post(stage, { ...GOOD, secret })).status, 201)
  }
})

Webhooks('an event that is named twice counts once', async ({ stage }) => {
  const events = ['job.failed', 'credit.low', 'job.failed']
  assert.equal((await made(stage, { ...GOOD, events })).events, ['job.failed', 'credit.low'])
})

Webhooks('a URL that deliveries cannot go to is refused with the reason', async ({ stage }) => {
  for (const [url, reason] of [
    ['http://example.com/hooks', /https:\/\//],
    ['example.com', /whole URL/],
    ['', /whole URL/],
    ['https://127.0.0.1/hooks', /not public/],
    ['https://[::ffff:10.0.0.1]/hooks', /not public/],
    ['https://2130706433/hooks', /not public/],
    ['https://localhost/hooks', /no public name/],
    ['https://inside.example.com/hooks', /not public/],
    ['https://nowhere.example.com/hooks', /does not resolve/],
    ['https://user:word@example.com/hooks', /user name/],
    [`https://example.com/${'x'.repeat(2_048)}`, /longer/],
    [`https://example.com/${'x'.repeat(3_000_000)}`, /longer/],
    ['https://example.com/\ud800', /surrogate/],
  ] as const) {
    const response = await post(stage, { ...GOOD, url })
    assert.is(response.status, 422, url)
    const error = await errorOf(response)
    assert.equal(
      [error.code, error.type, error.param],
      ['invalid_webhook_url', 'invalid_request_error', 'url'],
      url,
    )
    assert.match(error.message, reason)
  }
})

Webhooks('the twenty-first is refused, and a deleted one makes room', async ({ stage }) => {
  const { id } = await made(stage)
  for (let i = 1; i < 20; i++) assert.is((await post(stage, GOOD)).status, 201)
  const response = await post(stage, GOOD)
  assert.is(response.status, 409)
  assert.is(response.headers.get('x-should-retry'), 'false')
  const error = await errorOf(response)
  assert.equal([error.code, error.type], ['webhook_limit_reached', 'conflict_error'])
  assert.equal(error.details, { webhooks_max: 20 })
  await call(stage, `${PATH}/${id}`, { method: 'DELETE' })
  assert.is((await post(stage, GOOD)).status, 201)
})

Webhooks('a named request is done once; under another name it is another', async ({ stage }) => {
  const named = (name: string, body: unknown = GOOD) =>
    post(stage, body, { 'idempotency-key': name })
  const first = await jsonOf(await named('one'))
  const again = await named('one')
  assert.is(again.status, 201)
  assert.equal(await jsonOf(again), first)
  assert.is.not((await jsonOf(await named('two'))).id, first.id)
  for (const refused of [
    await named('one', { ...GOOD, events: ['job.failed'] }),
    await named('one', { ...GOOD, url: 'https://example.com/others' }),
    await named('one', { ...GOOD, secret: `${SECRET}2` }),
    await named('with space'),
  ]) {
    assert.is(refused.status, 400)
    const { code, param } = await errorOf(refused)
    assert.equal([code, param], ['invalid_request', 'Idempotency-Key'])
  }
  assert.is((await jsonOf(await call(stage, PATH))).data.length, 2)
  // Deliveries still owed to the first must not reach what its name makes after it.
  assert.is((await call(stage, `${PATH}/${first.id}`, { method: 'DELETE' })).status, 200)
  const anew = await jsonOf(await named('one'))
  assert.is.not(anew.id, first.id)
  assert.equal(await jsonOf(await named('one')), anew)
})

Webhooks('many at once make as many as there may be', async ({ stage }) => {
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async () => (await post(stage, GOOD)).status),
  )
  assert.is(statuses.filter((status) => status === 201).length, 20)
  assert.is(statuses.filter((status) => status === 409).length, 10)
})

Webhooks('without a service there is a 503 that says so', async ({ stage, house }) => {
  await house.stop()
  for (const response of [
    await post(stage, GOOD),
    await call(stage, PATH),
    await call(stage, `${PATH}/wh_x`, { method: 'DELETE' }),
  ]) {
    assert.is(response.status, 503)
    assert.ok(Number(response.headers.get('retry-after')) > 0)
    const { code, message } = await errorOf(response)
    assert.is(code, 'service_unavailable')
    assert.match(message, 'Webhooks cannot be reached')
  }
})

Webhooks('a key is needed, and other methods are refused by name', async ({ stage }) => {
  assert.is((await call(stage, PATH, { key: null })).status, 401)
  assert.is((await call(stage, PATH, { key: null, body: GOOD })).status, 401)
  const put = await call(stage, PATH, { method: 'PUT' })
  assert.equal([put.status, put.headers.get('allow')], [405, 'GET, HEAD, POST'])
  const get = await call(stage, `${PATH}/wh_x`)
  assert.equal([get.status, get.headers.get('allow')], [405, 'DELETE'])
})

Webhooks('no secret is logged', async () => {
  const lines: string[] = []
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = (text: string | Uint8Array) => {
    lines.push(String(text))
    return true
  }
  const before = process.env.TEST_LOG
  process.env.TEST_LOG = 'trace'
  const stage = await openStage()
  const house = makeWebhookHouse({ bus: stage.bus })
  try {
    await house.start()
    await post(stage, GOOD)
    await post(stage, { ...GOOD, secret: `${SECRET}\ud800` })
    await post(stage, { ...GOOD, url: 'https://localhost/' })
    await call(stage, PATH)
  } finally {
    process.stdout.write = write
    if (before === undefined) Reflect.deleteProperty(process.env, 'TEST_LOG')
    else process.env.TEST_LOG = before
    await house.stop()
    await stage.close()
  }
  assert.not.match(lines.join(''), SECRET)
})

Webhooks.run()

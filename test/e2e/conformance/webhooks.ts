import * as assert from 'uvu/assert'
import { type Answer, bodyOf, type Customer, send } from '../customer.ts'
import { refusedAs, type Wanted } from './envelope.ts'
import { hasFields, timestamp } from './forms.ts'
import type { Wire, WireRow } from './wire-stage.ts'

const PATH = '/webhooks'
const NO_WEBHOOK = `wh_${'0'.repeat(24)}`
const FIELDS = ['id', 'url', 'events', 'created_at', 'status']
const SECRET = 'of-a-conformance-test-7e9b1d3f'
const EVENTS = [
  'job.submitted',
  'job.processing',
  'job.completed',
  'job.failed',
  'job.timeout',
  'job.disputed',
  'credit.low',
  'credit.topup',
  'worker.registered',
  'worker.slashed',
]
/** An address, so that nothing has to be resolved; nobody listens there, and nothing is sent. */
const GOOD = { url: 'https://8.8.8.8/hooks?a=b', events: ['job.disputed'], secret: SECRET }

interface Webhook {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly created_at: string
  readonly status: string
}

const post = (by: Customer, fields: object = {}): Promise<Answer> =>
  send(by, PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: { ...GOOD, ...fields },
  })
const remove = (by: Customer, id: string): Promise<Answer> =>
  send(by, `${PATH}/${id}`, { method: 'DELETE' })
const list = async (by: Customer) =>
  bodyOf<{ object: string; data: Webhook[] }>(await send(by, PATH))

async function made(by: Customer, fields: object = {}): Promise<Webhook> {
  const answer = await post(by, fields)
  assert.is(answer.status, 201, answer.text.slice(0, 300))
  assert.not.match(answer.text, SECRET)
  return JSON.parse(answer.text)
}

/** Webhooks: the resource and its endpoints. What is delivered to them is shown elsewhere. */
export function webhookRows(row: WireRow, wire: () => Wire): void {
  const is = (answer: Answer, wanted: Wanted) => refusedAs(answer, wire().network.docs_url, wanted)
  fieldRows(row, wire)
  endpointRows(row, wire, is)
  refusalRows(row, wire, is)
}

function fieldRows(row: WireRow, wire: () => Wire): void {
  const one = async (): Promise<Webhook> => made(await wire().stranger())
  row('Webhook', 'id: form wh_<alphanumeric>', async () => {
    assert.match((await one()).id, /^wh_[0-9A-Za-z]+$/)
  })
  row('Webhook', 'url: HTTPS endpoint', async () => {
    assert.is((await one()).url, GOOD.url)
  })
  row('Webhook', 'events: array of event types', async () => {
    assert.equal((await one()).events, GOOD.events)
  })
  row('Webhook', 'created_at: timestamp', async () => {
    assert.ok(Math.abs(timestamp((await one()).created_at) - Date.now()) < 300_000)
  })
  row('Webhook', 'status: active after creation', async () => {
    assert.is((await one()).status, 'active')
  })
  row('Webhook', 'secret: write-only, never returned', async () => {
    const owner = await wire().stranger()
    hasFields(await made(owner), FIELDS)
    const answer = await send(owner, PATH)
    assert.not.match(answer.text, SECRET)
    assert.not.match(answer.text.toLowerCase(), 'secret')
  })
}

type Is = (answer: Answer, wanted: Wanted) => void

function endpointRows(row: WireRow, wire: () => Wire, is: Is): void {
  row('POST /webhooks', 'url, events and secret are required', async () => {
    const owner = await wire().stranger()
    for (const param of ['url', 'events', 'secret']) {
      is(await post(owner, { [param]: undefined }), {
        status: 400,
        code: 'invalid_request',
        param,
      })
    }
  })
  row('POST /webhooks', 'events takes any combination of the ten', async () => {
    const owner = await wire().stranger()
    assert.equal((await made(owner, { events: EVENTS })).events, EVENTS)
    for (const event of EVENTS) {
      assert.equal((await made(owner, { events: [event] })).events, [event])
    }
    for (const [events, param] of [
      [['job.painted'], 'events[0]'],
      [[], 'events'],
      ['job.failed', 'events'],
    ] as const) {
      is(await post(owner, { events }), { status: 400, code: 'invalid_request', param })
    }
  })
  row('POST /webhooks', 'response: the Webhook without secret', async () => {
    hasFields(await made(await wire().stranger()), FIELDS)
  })
  row('GET /webhooks', 'lists the webhooks', async () => {
    const owner = await wire().stranger()
    const webhook = await made(owner)
    assert.equal((await list(owner)).data, [webhook])
  })
  row('DELETE /webhooks/<webhook_id>', 'deletes a webhook', async () => {
    const owner = await wire().stranger()
    const [first, second] = [await made(owner), await made(owner)]
    await remove(owner, first.id)
    assert.equal((await list(owner)).data, [second])
  })
  row('Webhooks (choice)', 'POST answers 201', async () => {
    assert.is((await post(await wire().stranger())).status, 201)
  })
  row('Webhooks (choice)', 'GET answers object list and data, newest first', async () => {
    const owner = await wire().stranger()
    const [first, second, third] = [await made(owner), await made(owner), await made(owner)]
    assert.equal(await list(owner), { object: 'list', data: [third, second, first] })
    assert.equal(await list(await wire().stranger()), { object: 'list', data: [] })
  })
  row('Webhooks (choice)', 'DELETE answers 200 with id and deleted', async () => {
    const owner = await wire().stranger()
    const { id } = await made(owner)
    assert.equal(bodyOf(await remove(owner, id)), { id, deleted: true })
  })
}

function refusalRows(row: WireRow, wire: () => Wire, is: Is): void {
  const notFound = { status: 404, code: 'webhook_not_found', param: null }
  row('Webhooks (choice)', 'a URL that is private, link-local or no URL is refused', async () => {
    const owner = await wire().stranger()
    for (const url of [
      'ftp://example.com/',
      'example.com/hooks',
      'https://10.0.0.1/',
      'https://192.168.0.1/',
      'https://169.254.169.254/latest/meta-data/',
      'https://[fd00::1]/',
      'https://[fe80::1]/',
      'https://[::ffff:10.0.0.1]/',
      'https://167772161/',
      'https://user:word@8.8.8.8/',
    ]) {
      is(await post(owner, { url }), { status: 422, code: 'invalid_webhook_url', param: 'url' })
    }
    assert.equal((await list(owner)).data, [])
  })
  row('Webhooks (choice)', 'the development switch allows http: and loopback', async () => {
    const owner = await wire().stranger()
    for (const url of [
      'http://127.0.0.1:9009/hook',
      'http://localhost:3000/',
      'http://[::1]:3000/',
    ]) {
      const { id } = await made(owner, { url })
      await remove(owner, id)
    }
  })
  row('Webhooks (choice)', '20 webhooks a wallet', async () => {
    const owner = await wire().stranger()
    const { id } = await made(owner)
    for (let i = 1; i < 20; i++) await made(owner)
    is(await post(owner), { status: 409, code: 'webhook_limit_reached', param: null })
    await remove(owner, id)
    await made(owner)
  })
  row('Webhooks (choice)', 'a webhook of another wallet: 404, the same as for none', async () => {
    const [owner, other] = [await wire().stranger(), await wire().stranger()]
    const { id } = await made(owner)
    is(await remove(other, id), notFound)
    is(await remove(other, NO_WEBHOOK), notFound)
    assert.equal((await list(owner)).data.length, 1)
  })
  row('HTTP statuses', '404: no webhook matches the identifier', async () => {
    is(await remove(wire().customer, NO_WEBHOOK), notFound)
  })
}

import * as assert from 'uvu/assert'
import {
  type Answer,
  bodyOf,
  type Customer,
  chat,
  newCustomer,
  readAccount,
  revokeKey,
  send,
} from '../customer.ts'
import { refusalOf, refusedAs, type Wanted } from './envelope.ts'
import { postThenRead } from './late-reader.ts'
import { ASK, header, LITE, NO_JOB, type Wire, type WireRow } from './wire-stage.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const POST = { method: 'POST', headers: JSON_TYPE, body: ASK }
const CHAT = '/chat/completions'
/** As only the worker can tell. */
const OVERLONG = [{ role: 'user', content: 'a '.repeat(40_000) }]

/** Refusals: authentication, statuses, codes, the envelope. */
export function errorRows(row: WireRow, wire: () => Wire): void {
  const is = (answer: Answer, wanted: Wanted) => refusedAs(answer, wire().network.docs_url, wanted)
  const tools: Tools = {
    wire,
    is,
    unknownKey: async () => {
      const customer = { ...wire().customer, apiKey: `svc_live_${'0'.repeat(32)}` }
      is(await chat(customer, ASK), { status: 401, code: 'invalid_api_key', param: null })
    },
    noKey: async () => {
      const wanted = { status: 401, code: 'missing_api_key', param: null }
      for (const path of ['/models', '/account', '/jobs', `/jobs/${NO_JOB}`]) {
        is(await send(wire().customer, path, { authorization: null }), wanted)
      }
      is(await send(wire().customer, CHAT, { ...POST, authorization: null }), wanted)
    },
    suspended: async () => {
      const somebody = await newCustomer(wire().network, 'suspended')
      const wanted = { status: 403, code: 'key_suspended', param: null }
      is(await send(somebody, '/account'), wanted)
      is(await chat(somebody, ASK), wanted)
    },
    unpaid: async () => {
      const poor = await newCustomer(wire().network)
      const wanted = { status: 402, code: 'insufficient_credits', param: null }
      return is(await chat(poor, { ...ASK, model: LITE }), wanted)
    },
  }
  authenticationRows(row, tools)
  fieldRows(row, tools)
  statusRows(row, tools)
  codeRows(row, tools)
  choiceRows(row, tools)
}

interface Tools {
  readonly wire: () => Wire
  readonly is: (answer: Answer, wanted: Wanted) => ReturnType<typeof refusedAs>
  readonly unknownKey: () => Promise<void>
  readonly noKey: () => Promise<void>
  readonly suspended: () => Promise<void>
  readonly unpaid: () => Promise<ReturnType<typeof refusedAs>>
}

function authenticationRows(row: WireRow, tools: Tools): void {
  const { wire, is } = tools
  row('Authentication', 'every request carries Authorization: Bearer <API_KEY>', async () => {
    const { customer } = wire()
    const authorization = `Bearer ${customer.apiKey}`
    bodyOf(await send(customer, '/account', { authorization }))
    for (const wrong of [customer.apiKey, `Basic ${customer.apiKey}`, `Bearer${customer.apiKey}`]) {
      const answer = await send(customer, '/account', { authorization: wrong })
      is(answer, { status: 401, code: 'invalid_api_key' })
    }
  })
  row('Authentication', 'key format: svc_live_ plus 32 alphanumeric characters', async () => {
    const { customer } = wire()
    assert.match(customer.apiKey, /^svc_live_[0-9A-Za-z]{32}$/)
    const { apiKey } = customer
    for (const key of [apiKey.slice(0, -1), `${apiKey}0`, apiKey.replace('live', 'test')]) {
      const answer = await send(customer, '/account', { authorization: `Bearer ${key}` })
      is(answer, { status: 401, code: 'invalid_api_key' })
      assert.not.match(answer.text, key, 'no key is repeated')
    }
  })
  row('Authentication', 'a key spends the balance of the wallet that issued it', async () => {
    const somebody = await wire().buyer(100)
    await chat(somebody, ASK)
    assert.is((await readAccount(somebody)).credits_remaining, 92)
  })
  row('Authentication', 'scope: a key reads and spends only its own wallet', async () => {
    const { buyer, plain, get } = wire()
    const { job } = await plain()
    const stranger = await buyer(100)
    is(await get(`/jobs/${job.id}`, stranger), { status: 404, code: 'job_not_found' })
    assert.is((await readAccount(stranger)).wallet.toLowerCase(), stranger.wallet)
    for (const path of ['/withdrawals', '/account/withdraw', '/transfer', '/keys', '/settings']) {
      const answer = await send(stranger, path, { ...POST, body: { credits: 1 } })
      is(answer, { status: 404, code: 'route_not_found' })
    }
  })
  row('Authentication', 'revocation takes effect instantly', async () => {
    const leaver = await newCustomer(wire().network)
    await readAccount(leaver)
    await revokeKey(wire().network, leaver)
    const gone = await firstRefusal(leaver, 20_000)
    is(gone, { status: 401, code: 'invalid_api_key' })
    for (let i = 0; i < 5; i++)
      is(await send(leaver, '/account'), { status: 401, code: 'invalid_api_key' })
  })

  const errors = 'Authentication errors'
  row(errors, '401 invalid_api_key: key does not exist or was revoked', tools.unknownKey)
  row(errors, '401 missing_api_key: no Authorization header', tools.noKey)
  row(errors, '402 insufficient_credits: balance cannot cover the tier', async () => {
    await tools.unpaid()
  })
  row(errors, '403 key_suspended: key suspended', tools.suspended)
}

function fieldRows(row: WireRow, { wire, is, unpaid }: Tools): void {
  const refusals = async () => {
    const { customer, get, network } = wire()
    const answers = [
      await get(`/jobs/${NO_JOB}`),
      await get('/nothing'),
      await get('/jobs?limit=0'),
      await chat(customer, '{'),
      await chat(customer, { ...ASK, temperature: 9 }),
      await chat(customer, { ...ASK, model: 'none' }),
      await send(customer, '/account', { authorization: null }),
      await send(customer, '/account', { method: 'DELETE' }),
    ]
    return answers.map((answer) => refusalOf(answer, network.docs_url))
  }
  row('Error fields', 'error.code: stable identifier', async () => {
    for (const { code } of await refusals()) assert.match(code, /^[a-z_]+$/)
  })
  row('Error fields', 'error.message: human-readable text', async () => {
    for (const { message } of await refusals()) assert.match(message, /^[A-Z`].* .*[.`)]$/s)
  })
  row('Error fields', 'error.type: category', async () => {
    for (const { type } of await refusals()) assert.match(type, /^[a-z]+(_[a-z]+)*_error$/)
  })
  row('Error fields', 'error.param: request parameter, or null', async () => {
    const params = (await refusals()).map(({ param }) => param)
    assert.equal(params, [null, null, 'limit', null, 'temperature', 'model', null, null])
  })
  row('Error fields', 'error.docs: {docs_url}/api-reference/errors#<code>', async () => {
    const { docs_url } = wire().network
    for (const { code, docs } of await refusals()) {
      assert.is(docs, `${docs_url}/api-reference/errors#${code}`)
    }
  })
  row('Error fields', 'error.details: object on some errors', async () => {
    assert.type((await unpaid()).details, 'object')
    const answer = await wire().get('/nothing')
    const { details } = is(answer, { status: 404, code: 'route_not_found' })
    assert.is(details, undefined)
  })
}

function statusRows(row: WireRow, { wire, is, unknownKey, noKey, unpaid, suspended }: Tools): void {
  row(
    'HTTP statuses',
    '400: does not parse, lacks a required field, or holds an invalid value',
    async () => {
      const { customer } = wire()
      const lacking = { model: ASK.model }
      for (const body of ['{"model":', lacking, { ...ASK, top_p: 'high' }]) {
        is(await chat(customer, body), { status: 400, code: 'invalid_request' })
      }
    },
  )
  row('HTTP statuses', '401: key missing or not recognized', async () => {
    await noKey()
    await unknownKey()
  })
  row('HTTP statuses', '402: not enough credits', async () => {
    await unpaid()
  })
  row('HTTP statuses', '403: key suspended', suspended)
  row('HTTP statuses', '404: no job or model matches the identifier', async () => {
    const { get } = wire()
    is(await get(`/jobs/${NO_JOB}`), { status: 404, code: 'job_not_found', param: null })
    is(await get('/models/none'), { status: 404, code: 'model_not_found', param: null })
  })
}

function codeRows(row: WireRow, { wire, unknownKey, noKey, unpaid, suspended }: Tools): void {
  row('Error codes', 'invalid_api_key 401', unknownKey)
  row('Error codes', 'missing_api_key 401', noKey)
  row('Error codes', 'key_suspended 403', suspended)
  row(
    'Error codes',
    'insufficient_credits 402 with details credits_remaining, credits_required, tier',
    async () => {
      const { type, details } = await unpaid()
      assert.is(type, 'payment_error')
      assert.equal(details, { credits_remaining: 0, credits_required: 2, tier: 'lite' })
    },
  )
  row('Error codes', 'model_not_found 400', async () => {
    for (const model of ['none', 'qwen/qwen3-8b', `${ASK.model} `, '__proto__', 'constructor']) {
      const wanted = { status: 400, code: 'model_not_found', param: 'model' }
      await wire().refuses(wanted, { ...ASK, model })
    }
  })
  row('Error codes', 'invalid_request 400, param names the offender', async () => {
    const second = { ...ASK, messages: [...ASK.messages, { role: 'user' }] }
    const wanted = { status: 400, code: 'invalid_request', param: 'messages[4].content' }
    await wire().refuses(wanted, second)
  })
  row('Error codes', 'context_length_exceeded 400', async () => {
    const wanted = { status: 400, code: 'context_length_exceeded', param: 'messages' }
    const messages = [{ role: 'user', content: 'ab'.repeat(300_000) }]
    await wire().refuses(wanted, { ...ASK, messages })
    await wire().refuses(wanted, { ...ASK, messages: OVERLONG })
  })
  row('Retry rules', 'other 4xx: the same payload fails the same way', async () => {
    const { customer, network } = wire()
    for (const body of ['{', { ...ASK, model: 'none' }, { ...ASK, n: 3 }]) {
      const [first, again] = [await chat(customer, body), await chat(customer, body)]
      assert.is(first.status, again.status)
      assert.equal(refusalOf(first, network.docs_url), refusalOf(again, network.docs_url))
    }
  })
}

function choiceRows(row: WireRow, { wire, is }: Tools): void {
  row('Error codes (choice)', 'route_not_found 404', async () => {
    const wanted = { status: 404, code: 'route_not_found', param: null }
    for (const path of ['/nothing', '/chat', '/jobs/a/b', '//', '/chat/completions/more']) {
      is(await wire().get(path), wanted)
      is(await send(wire().customer, path, POST), wanted)
    }
  })
  row('Error codes (choice)', 'job_not_found 404', async () => {
    for (const id of [NO_JOB, 'job_', 'nothing', '%00', 'a'.repeat(3_000)]) {
      is(await wire().get(`/jobs/${id}`), { status: 404, code: 'job_not_found', param: null })
    }
  })
  row('Error codes (choice)', 'model_not_found 404 on GET /models/<id>', async () => {
    for (const id of ['none', 'Qwen', 'Qwen%2F', '..%2f..', '__proto__']) {
      is(await wire().get(`/models/${id}`), { status: 404, code: 'model_not_found', param: null })
    }
  })
  row('Error codes (choice)', 'method 405 on a known path', async () => {
    for (const [method, path, allowed] of [
      ['GET', CHAT, 'POST'],
      ['POST', '/models', 'GET'],
      ['PUT', '/account', 'GET'],
      ['DELETE', `/jobs/${NO_JOB}`, 'GET'],
      ['PATCH', '/jobs', 'GET'],
      ['GET', `/jobs/${NO_JOB}/dispute`, 'POST'],
    ] as const) {
      const answer = await send(wire().customer, path, { method })
      is(answer, { status: 405, code: 'method_not_allowed', param: null })
      assert.ok(header(answer, 'allow').includes(allowed), `${method} ${path}`)
    }
  })
  row('Error codes (choice)', 'request_too_large 413', async () => {
    const padding = 'x'.repeat(5 * 1024 * 1024)
    const chunked = { ...POST.headers, 'transfer-encoding': 'chunked' }
    const post = { method: 'POST', headers: chunked, body: { ...ASK, padding } }
    const answer = await send(wire().customer, CHAT, post)
    is(answer, { status: 413, code: 'request_too_large', param: null })
    // Its length is told, so that it is refused long before it is read.
    for (let i = 0; i < 5; i++) {
      const heard = await postThenRead(wire().customer, 20 * 1024 * 1024)
      assert.match(heard, /^HTTP\/1\.1 413 /)
      assert.match(heard, '"code":"request_too_large"')
    }
  })
  row(
    'Error codes (choice)',
    'one envelope: broken JSON and a wrong content type too',
    async () => {
      const { customer } = wire()
      const wanted = { status: 400, code: 'invalid_request', param: null }
      for (const body of ['', '{', 'null', '[]', '"text"', '1', '{"a":1,}', '\ufeff']) {
        is(await chat(customer, body), wanted)
      }
      for (const type of ['text/plain', 'application/xml', 'nonsense', 'application/jsonp']) {
        const headers = { 'content-type': type }
        is(await send(customer, CHAT, { ...POST, headers }), wanted)
      }
    },
  )
}

async function firstRefusal(customer: Customer, withinMs: number): Promise<Answer> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const answer = await send(customer, '/account')
    if (answer.status !== 200) return answer
    if (performance.now() > deadline) throw new Error('the key still opens')
  }
}

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exchangeRaw } from '../fakes/edge/raw-http.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { ChainReader } from './chain-reader.ts'
import {
  type Answer,
  balanceBecomes,
  bodyOf,
  type Customer,
  chat,
  firstCustomer,
  jobBecomes,
  newCustomer,
  readAccount,
  revokeKey,
  send,
} from './customer.ts'
import { INVALID_BODIES, VALID } from './invalid-bodies.ts'
import type { Refused } from './public-shapes.ts'

/** Everything that callers do wrong, and that none of it costs a credit. */
const BadInput = suite('bad input')

const CREDITS = 100_000
const JSON_TYPE = { 'content-type': 'application/json' }

let network: Network
let customer: Customer
let chain: ChainReader
/** Jobs that were locked on purpose. */
const lockedJobs: string[] = []

BadInput.before(async () => {
  network = await startNetwork()
  customer = firstCustomer(network)
  chain = new ChainReader(network)
})

BadInput.after(async () => {
  await network?.stop()
})

for (const { what, body, param } of INVALID_BODIES) {
  BadInput(`${what}: 400 for ${param}`, async () => {
    refused(await chat(customer, body), 400, 'invalid_request', param)
  })
}

BadInput('what asks for nothing that we lack passes the checks', async () => {
  // Refused all the same, but only for its model: everything before that was taken.
  const harmless = {
    ...VALID,
    model: 'nobody/nothing',
    n: 1,
    logprobs: false,
    top_logprobs: 0,
    tools: [],
    tool_choice: 'none',
    functions: [],
    response_format: { type: 'text' },
    modalities: ['text'],
    user: 'somebody',
    metadata: { any: 'thing' },
    store: true,
    service_tier: 'auto',
    some_later_field: { deep: [1, 2, 3] },
    temperature: null,
    stop: null,
    max_tokens: null,
  }
  refused(await chat(customer, harmless), 400, 'model_not_found', 'model')
})

BadInput('a body that is no JSON object is refused', async () => {
  for (const body of ['{', '{"model": "x",}', 'not json', '\u0000', '[]', '"text"', '42', 'null']) {
    refused(await chat(customer, body), 400, 'invalid_request', null)
  }
  const poisoned = '{"__proto__": {"a": 1}, "model": "x", "messages": []}'
  refused(await chat(customer, poisoned), 400, 'invalid_request', null)
})

BadInput('no body, or a body of another type, is refused', async () => {
  refused(await chat(customer, ''), 400, 'invalid_request', null)
  const post = { method: 'POST', body: VALID }
  const path = '/chat/completions'
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense']) {
    const answer = await send(customer, path, { ...post, headers: { 'content-type': type } })
    refused(answer, 400, 'invalid_request', null)
  }
  refused(await send(customer, path, post), 400, 'invalid_request', null)
})

BadInput('bodies beyond the limits are refused', async () => {
  const large = { ...VALID, padding: 'x'.repeat(5 * 1024 * 1024) }
  refused(await chat(customer, large), 413, 'request_too_large', null)
  const chunked = await send(customer, '/chat/completions', {
    method: 'POST',
    headers: { ...JSON_TYPE, 'transfer-encoding': 'chunked' },
    body: large,
  })
  refused(chunked, 413, 'request_too_large', null)

  const deep = `{"metadata":${'['.repeat(40)}${']'.repeat(40)}}`
  refused(await chat(customer, deep), 400, 'invalid_request', null)

  const message = VALID.messages[0]
  const many = { ...VALID, messages: Array.from({ length: 3_000 }, () => message) }
  refused(await chat(customer, many), 400, 'invalid_request', 'messages')
})

BadInput('what is not even HTTP is answered in the envelope', async () => {
  const said = await exchangeRaw(customer.baseUrl, 'HELLO?\r\n\r\n')
  assert.match(said, /^HTTP\/1\.1 400 /)
  const { error }: { error: Refused } = JSON.parse(said.slice(said.indexOf('\r\n\r\n')))
  assert.is(error.code, 'invalid_request')
})

BadInput('unknown routes and wrong methods are told apart', async () => {
  for (const path of ['/nothing', '/embeddings', '/chat', '/jobs/a/b', '/../etc/passwd']) {
    refused(await send(customer, path), 404, 'route_not_found', null, { account: false })
  }
  const wrong = [
    ['GET', '/chat/completions', 'POST'],
    ['DELETE', '/chat/completions', 'POST'],
    ['POST', '/models', 'GET, HEAD'],
    ['PUT', '/account', 'GET, HEAD'],
    ['DELETE', '/models/Qwen/Qwen3-8B', 'GET, HEAD'],
    ['PATCH', '/jobs/job_0', 'GET, HEAD'],
  ] as const
  for (const [method, path, allow] of wrong) {
    const answer = await send(customer, path, { method })
    refused(answer, 405, 'method_not_allowed', null, { account: false })
    assert.is(answer.headers.allow, allow, `${method} ${path}`)
  }
})

BadInput('a request without a good key is refused before it is read', async () => {
  const body = '{ this is never parsed'
  const post = { method: 'POST', headers: JSON_TYPE, body }
  const missing = await send(customer, '/chat/completions', { ...post, authorization: null })
  refused(missing, 401, 'missing_api_key', null, { account: false })
  assert.is(missing.headers['www-authenticate'], 'Bearer')

  const { apiKey } = customer
  const malformed = [
    `Bearer svc_live_${'A'.repeat(32)}`,
    `Bearer ${apiKey}x`,
    `Bearer ${apiKey.slice(0, -1)}`,
    `Bearer ${apiKey.toUpperCase()}`,
    `Bearer ${apiKey} ${apiKey}`,
    `Basic ${Buffer.from(`user:${apiKey}`).toString('base64')}`,
    apiKey,
    'Bearer',
  ]
  for (const authorization of malformed) {
    const answer = await send(customer, '/chat/completions', { ...post, authorization })
    refused(answer, 401, 'invalid_api_key', null, { account: false })
    assert.not.match(answer.text, apiKey, 'no key is repeated')
  }
})

BadInput('a revoked key ends at once, a suspended one is told so', async () => {
  const leaver = await newCustomer(network)
  assert.is((await readAccount(leaver)).credits_remaining, 0)
  await revokeKey(network, leaver)
  const gone = await until('the key opens nothing more', async () => {
    const answer = await send(leaver, '/account')
    return answer.status === 200 ? undefined : answer
  })
  refused(gone, 401, 'invalid_api_key', null, { account: false })

  const suspended = await newCustomer(network, 'suspended')
  refused(await send(suspended, '/account'), 403, 'key_suspended', null, { account: false })
})

BadInput('models that are not there are refused', async () => {
  for (const model of ['gpt-4o', 'qwen/qwen3-8b', 'Qwen', '__proto__', 'x'.repeat(5_000)]) {
    refused(await chat(customer, { ...VALID, model }), 400, 'model_not_found', 'model')
  }
  const unserved = await chat(customer, { ...VALID, model: 'google/gemma-3-27b-it' })
  const { details } = refused(unserved, 503, 'no_workers_available', 'model')
  assert.equal(details, { model: 'google/gemma-3-27b-it', retry_after: 5 })
  assert.is(unserved.headers['retry-after'], '5')

  for (const id of ['nothing', 'google/gemma-3-27b-it', '%', '..%2F..']) {
    const answer = await send(customer, `/models/${id}`)
    if (id === '%') refused(answer, 400, 'invalid_request', null, { account: false })
    else refused(answer, 404, 'model_not_found', null)
  }
})

BadInput('a prompt that certainly does not fit is refused before a credit moves', async () => {
  // 600 000 characters without runs are more than 32 768 tokens by any count.
  const messages = [{ role: 'user', content: 'ab'.repeat(300_000) }]
  const overlong = await chat(customer, { ...VALID, messages })
  refused(overlong, 400, 'context_length_exceeded', 'messages')
  assert.is(overlong.headers['x-svc-job-id'], undefined)
})

BadInput('a prompt that only the worker finds too long costs nothing', async () => {
  for (const stream of [false, true]) {
    const messages = [{ role: 'user', content: 'a '.repeat(40_000) }]
    const answer = await chat(customer, { ...VALID, messages, stream })
    const { message } = refused(answer, 400, 'context_length_exceeded', 'messages')
    assert.match(message, '32768')
    const jobId = String(answer.headers['x-svc-job-id'])
    const lock = await chain.lock(jobId)
    lockedJobs.push(lock.args.jobId)
    assert.is(answer.headers['x-svc-tx-hash'], lock.transactionHash)

    const back = ({ on_chain }: { on_chain: { refund_tx: unknown; block_number: unknown } }) =>
      on_chain.refund_tx !== null && on_chain.block_number !== null
    const job = await jobBecomes(customer, jobId, back)
    assert.is(job.status, 'failed')
    assert.is(job.credits_charged, 0)
    assert.is(job.on_chain.settlement_tx, null)
    const refund = await until('a refund on chain', () => chain.refund(jobId))
    assert.is(refund.transactionHash, job.on_chain.refund_tx)
    assert.is(refund.args.credits, lock.args.credits)
    await balanceBecomes(customer, CREDITS)
  }
})

BadInput('jobs that are not there, or not the caller’s, look the same', async () => {
  const unknown = `job_${'0'.repeat(26)}`
  for (const id of [unknown, 'job_', 'nothing', '%00', `job_${'z'.repeat(5_000)}`]) {
    refused(await send(customer, `/jobs/${id}`), 404, 'job_not_found', null)
  }
  const jobs: Answer[] = []
  const stranger = await newCustomer(network)
  for (const bytes32 of lockedJobs) {
    const id = Buffer.from(bytes32.slice(2), 'hex').toString('ascii').replace(/\0+$/, '')
    bodyOf(await send(customer, `/jobs/${id}`))
    jobs.push(await send(stranger, `/jobs/${id}`))
  }
  assert.is(jobs.length, 2)
  for (const answer of jobs) {
    refused(answer, 404, 'job_not_found', null)
    assert.is(answer.headers['x-svc-job-id'], undefined)
  }
})

BadInput('after all of that no credit is gone, and nothing was locked unseen', async () => {
  await balanceBecomes(customer, CREDITS)
  const locks = await chain.locksOf(customer.wallet)
  assert.equal(
    locks.map(({ args }) => args.jobId),
    lockedJobs,
  )
  assert.equal(await chain.account(customer.wallet), { available: BigInt(CREDITS), locked: 0n })
})

/** Checks the envelope, and what every answer must carry. */
function refused(
  { status, headers, text }: Answer,
  wantedStatus: number,
  code: string,
  param: string | null,
  { account = true } = {},
): Refused {
  assert.is(status, wantedStatus, text.slice(0, 500))
  assert.is(headers['content-type'], 'application/json; charset=utf-8')
  assert.ok(headers['x-request-id'])
  if (account) assert.match(String(headers['x-svc-credits-remaining']), /^\d+$/)
  const body: { error: Refused } = JSON.parse(text)
  assert.equal(Object.keys(body), ['error'])
  const { error } = body
  assert.is(error.code, code, text)
  assert.is(error.param, param, text)
  assert.ok(error.message.length > 10 && error.message.length < 500, error.message)
  assert.is(error.type, TYPES[status])
  assert.is(error.docs, `${network.docs_url}/api-reference/errors#${code}`)
  return error
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  413: 'invalid_request_error',
  503: 'capacity_error',
}

BadInput.run()

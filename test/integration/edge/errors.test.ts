import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { apiKeyHash } from '../../../src/domain/hash.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import {
  call,
  chat,
  chunksOf,
  completed,
  DOCS_URL,
  jsonOf,
  KEY,
  MODEL,
  openStage,
  REFUND_TX,
  type Stage,
  settlementSent,
  WALLET,
  WORKER,
} from '../../fakes/edge/stage.ts'
import { SOON_MS, until } from '../../until.ts'

const Errors = suite<{ stage: Stage }>('edge: errors')
Errors.before.each(async (context) => {
  context.stage = await openStage()
})
Errors.after.each(async ({ stage }) => stage.close())

async function errorOf(response: Response) {
  const { error } = await jsonOf(response)
  assert.is(typeof error.message, 'string')
  assert.ok(error.param === null || typeof error.param === 'string')
  assert.is(error.docs, `${DOCS_URL}/api-reference/errors#${error.code}`)
  assert.ok(response.headers.get('x-request-id'))
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  return { status: response.status, ...error }
}

Errors('authentication', async ({ stage }) => {
  const missing = await call(stage, '/v1/models', { key: null })
  assert.is(missing.headers.get('www-authenticate'), 'Bearer')
  assert.is(missing.headers.get('x-svc-credits-remaining'), null)
  const said = await errorOf(missing)
  assert.equal(
    [said.status, said.code, said.type],
    [401, 'missing_api_key', 'authentication_error'],
  )
  for (const authorization of [
    'Bearer x',
    'Basic abc',
    'Bearer',
    `Bearer svc_live_${'b'.repeat(32)}`,
  ]) {
    const response = await call(stage, '/v1/models', { key: null, headers: { authorization } })
    const { code, message } = await errorOf(response)
    assert.is(code, 'invalid_api_key')
    assert.is(response.status, 401)
    // A variable that is not set is no revoked key.
    assert.is(/no key behind it/.test(message), authorization === 'Bearer', authorization)
  }
  const lower = { authorization: `bearer ${KEY}` }
  assert.is((await call(stage, '/v1/models', { key: null, headers: lower })).status, 200)
})

Errors('auth comes before the body', async ({ stage }) => {
  const response = await call(stage, '/v1/chat/completions', { key: null, body: '{broken' })
  assert.is((await errorOf(response)).code, 'missing_api_key')
})

Errors(
  'a key is cached, and a revocation or suspension takes effect at once',
  async ({ stage }) => {
    await call(stage, '/v1/models')
    const reads = stage.keys.reads
    await call(stage, '/v1/models')
    assert.is(stage.keys.reads, reads)
    const record = { wallet: WALLET, createdAt: 1 }
    await stage.keys.set(apiKeyHash(KEY), { ...record, status: 'suspended' })
    const answer = await call(stage, '/v1/models')
    assert.ok(answer.headers.has('x-svc-credits-remaining'), 'whose key it is is known')
    const stray = await call(stage, '/v1/nope')
    assert.equal([stray.status, stray.headers.has('x-svc-credits-remaining')], [404, true])
    const suspended = await errorOf(answer)
    assert.equal([suspended.status, suspended.code], [403, 'key_suspended'])
    await stage.keys.delete(apiKeyHash(KEY))
    assert.is((await call(stage, '/v1/models')).status, 401)
    await stage.keys.set(apiKeyHash(KEY), { ...record, status: 'active' })
    assert.is((await call(stage, '/v1/models')).status, 200)
  },
)

Errors('a cache that may have missed a revocation is not believed', async ({ stage }) => {
  await call(stage, '/v1/models')
  const reads = stage.keys.reads
  stage.bus.setConnected(false)
  await call(stage, '/v1/models')
  assert.is(stage.keys.reads, reads + 1)
  stage.bus.setConnected(true)
  await call(stage, '/v1/models')
  assert.is(stage.keys.reads, reads + 2)
})

Errors('routes and methods', async ({ stage }) => {
  const unknown = await call(stage, '/v1/nothing', { key: null, body: 'x', headers: {} })
  assert.equal(Object.values(await errorOf(unknown)).slice(0, 2), [404, 'route_not_found'])
  const asText = { 'content-type': 'text/xml' }
  const xml = await call(stage, '/v1/nothing', { key: null, body: 'x', headers: asText })
  assert.is((await errorOf(xml)).code, 'route_not_found')
  const wrong = await call(stage, '/v1/chat/completions', { key: null })
  assert.equal(Object.values(await errorOf(wrong)).slice(0, 2), [405, 'method_not_allowed'])
  assert.is(wrong.headers.get('allow'), 'POST')
  const post = await call(stage, `/v1/models/${MODEL}`, { body: {} })
  assert.equal([post.status, post.headers.get('allow')], [405, 'GET, HEAD'])
  assert.is((await call(stage, '/v1/models', { method: 'HEAD' })).status, 200)
  const headOfPost = await call(stage, '/v1/chat/completions', { method: 'HEAD' })
  assert.equal([headOfPost.status, headOfPost.headers.get('allow')], [405, 'POST'])
  const bad = await call(stage, '/v1/models/%zz')
  assert.equal([bad.status, (await errorOf(bad)).code], [400, 'invalid_request'])
})

Errors('bodies that cannot be read', async ({ stage }) => {
  const post = (body: string, headers = {}) =>
    call(stage, '/v1/chat/completions', { body, headers })
  for (const [body, headers] of [
    ['{"model": "secret prompt', {}],
    ['', {}],
    ['nonsense', {}],
    ['[]', {}],
    ['null', {}],
    ['"x"', {}],
    ['{}', { 'content-type': 'text/plain' }],
    ['{}', { 'content-type': 'nonsense' }],
    [`{"a":${'['.repeat(40)}${']'.repeat(40)}}`, {}],
    ['{"__proto__": {"x": 1}}', {}],
    ['{"constructor": {"prototype": {}}}', {}],
    [`{"a":${'['.repeat(1_000_000)}`, {}],
  ] as const) {
    const error = await errorOf(await post(body, headers))
    assert.equal([error.status, error.code], [400, 'invalid_request'], body.slice(0, 50))
    assert.not.match(error.message, /secret/)
  }
  const large = await post(JSON.stringify(chat({ user: 'x'.repeat(5 * 1024 * 1024) }))).catch(
    () => undefined, // the socket may close while the client still writes
  )
  if (large) {
    assert.equal(Object.values(await errorOf(large)).slice(0, 2), [413, 'request_too_large'])
  }
})

Errors('what is wrong with JSON is told, and where, but not what it says', async ({ stage }) => {
  for (const [body, told] of [
    ['{"model": "secret",}', /not valid JSON: it breaks at position 19/],
    ['{"model": "secret"', /not valid JSON: it (breaks|ends too early)/],
    ['{"model": NaN}', /not valid JSON/],
    ['x at position 5', /not valid JSON: it ends too early or holds/],
    ['\uFEFF{"__proto__": "secret"}', /holds a key `__proto__`/],
    ['{"metadata": {"__proto__": "secret"}}', /holds a key `__proto__`/],
  ] as const) {
    const { message } = await errorOf(await call(stage, '/v1/chat/completions', { body }))
    assert.match(message, told)
    assert.not.match(message, /secret/)
  }
})

Errors('invalid fields name themselves', async ({ stage }) => {
  for (const [body, param] of [
    [{ messages: [] }, 'messages'],
    [{ model: null }, 'model'],
    [{ model: 5 }, 'model'],
    [{ temperature: '1' }, 'temperature'],
    [{ temperature: 2.5 }, 'temperature'],
    [{ top_p: -1 }, 'top_p'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: 1.5 }, 'max_tokens'],
    [{ max_tokens: 1e300 }, 'max_tokens'],
    [{ seed: 1e300 }, 'seed'],
    [{ stream: 'true' }, 'stream'],
    [{ messages: [{ content: 'x' }] }, 'messages[0].role'],
    [{ messages: ['x'] }, 'messages[0]'],
    [{ messages: Array(2_049).fill({ role: 'user', content: '' }) }, 'messages'],
    [{ stream_options: 5 }, 'stream_options'],
  ] as const) {
    const response = await call(stage, '/v1/chat/completions', { body: chat(body) })
    const error = await errorOf(response)
    assert.equal([error.status, error.code, error.param], [400, 'invalid_request', param])
    assert.is(response.headers.get('x-svc-credits-remaining'), '1000')
  }
})

Errors('an unknown model, and a known one without workers', async ({ stage }) => {
  const unknown = await errorOf(
    await call(stage, '/v1/chat/completions', { body: chat({ model: 'gpt-4' }) }),
  )
  assert.equal([unknown.status, unknown.code, unknown.param], [400, 'model_not_found', 'model'])
  const response = await call(stage, '/v1/chat/completions', {
    body: chat({ model: 'Qwen/Qwen3-14B' }),
  })
  const idle = await errorOf(response)
  assert.equal([idle.status, idle.code, idle.type], [503, 'no_workers_available', 'capacity_error'])
  assert.equal(idle.details, { model: 'Qwen/Qwen3-14B', retry_after: 5 })
  assert.is(response.headers.get('retry-after'), '5')
  assert.is(stage.ledger.reservations.size, 0)
})

Errors('what does not fit the context window', async ({ stage }) => {
  const post = async (more: Record<string, unknown>) =>
    errorOf(await call(stage, '/v1/chat/completions', { body: chat(more) }))
  const dear = await post({ max_tokens: 1_000_000 })
  assert.equal([dear.status, dear.code], [402, 'insufficient_credits'], 'a cap has a price')
  assert.is(dear.details?.credits_required, 4_006)
  const prompt = await post({ messages: [{ role: 'user', content: 'word '.repeat(200_000) }] })
  assert.equal([prompt.status, prompt.code], [400, 'context_length_exceeded'])
})

Errors('too few credits', async ({ stage }) => {
  await stage.fund(7)
  const flat = await errorOf(await call(stage, '/v1/chat/completions', { body: chat() }))
  assert.equal([flat.status, flat.code], [402, 'insufficient_credits'])
  assert.is(flat.type, 'payment_error')
  assert.equal(flat.details, { credits_remaining: 7, credits_required: 8, tier: 'standard' })
  await stage.fund(11)
  const body = chat({ max_tokens: 1_500 })
  const capped = await errorOf(await call(stage, '/v1/chat/completions', { body }))
  assert.equal(capped.details, { credits_remaining: 11, credits_required: 12, tier: 'standard' })
  assert.is(stage.ledger.reservations.size, 0)
})

Errors('an open-ended request is cut down to a small balance', async ({ stage }) => {
  await stage.fund(9)
  stage.play = ({ jobId }) =>
    stage.say(...chunksOf(jobId, ['hi']), completed(jobId, ['hi']), settlementSent(jobId))
  assert.is((await call(stage, '/v1/chat/completions', { body: chat() })).status, 200)
  const [start] = stage.commands
  assert.ok(start?.type === 'StartJob' && start.lock === 9n && start.outputTokensMax === 750)
})

Errors('a wallet the ledger does not know is loaded from the chain', async ({ stage }) => {
  const other = toAddress(`0x${'77'.repeat(20)}`)
  const key = `svc_live_${'c'.repeat(32)}`
  await stage.keys.set(apiKeyHash(key), { wallet: other, createdAt: 1, status: 'active' })
  const before = await call(stage, '/v1/account', { key })
  assert.equal([before.status, before.headers.get('retry-after')], [503, '2'])
  assert.is((await errorOf(before)).code, 'service_unavailable')
  stage.bus.subscribe(SUBJECTS.accountLoad, (message, _subject, respond) => {
    assert.equal(message, { wallet: other })
    stage.fund(55, other).then(() => respond({ type: 'loaded' }))
  })
  const account = await jsonOf(await call(stage, '/v1/account', { key }))
  assert.is(account.credits_remaining, 55)
})

Errors('a job that fails before its first token answers with its refusal', async ({ stage }) => {
  for (const stream of [false, true]) {
    stage.play = ({ jobId }) =>
      stage.say({
        type: 'failed',
        jobId,
        escrowTx: null,
        worker: WORKER,
        refusal: {
          code: 'job_timeout',
          message: 'No worker finished the job.',
          details: { job_id: jobId, credits_refunded: 8, refund_tx: REFUND_TX },
        },
      })
    const response = await call(stage, '/v1/chat/completions', { body: chat({ stream }) })
    const error = await errorOf(response)
    assert.equal([error.status, error.code], [504, 'job_timeout'])
    assert.is(error.details.refund_tx, REFUND_TX)
    assert.is(response.headers.get('x-svc-job-id'), error.details.job_id)
    assert.is(response.headers.get('x-svc-worker'), WORKER)
    assert.ok(response.headers.get('x-svc-credits-remaining'))
  }
})

Errors('what a worker says of a request is told with its refusal', async ({ stage }) => {
  const refusal = { code: 'invalid_request', message: 'The engine refused it.' } as const
  stage.play = ({ jobId }) => {
    stage.outputs.refusals.set(jobId, 'top_p must be positive')
    stage.say({ type: 'failed', jobId, escrowTx: null, refusal })
  }
  const said = async () =>
    (await errorOf(await call(stage, '/v1/chat/completions', { body: chat() }))).message
  assert.is(await said(), 'The engine refused it. The worker said: top_p must be positive')
  stage.play = ({ jobId }) => stage.say({ type: 'failed', jobId, escrowTx: null, refusal })
  assert.is(await said(), 'The engine refused it.', 'its words are lost')
})

Errors(
  'a path or a method that is none tells the balance of a key that is one',
  async ({ stage }) => {
    await stage.fund(55)
    for (const [path, method, status] of [
      ['/v1/embeddings', 'POST', 404],
      ['/v1/account', 'DELETE', 405],
    ] as const) {
      const ask = async (key: string) => {
        const response = await call(stage, path, { method, key })
        return [response.status, response.headers.get('x-svc-credits-remaining')]
      }
      assert.equal(await ask(KEY), [status, '55'])
      assert.equal(await ask(`svc_live_${'x'.repeat(32)}`), [status, null])
    }
  },
)

Errors('a body that is not UTF-8 is refused: its prompt would be another', async ({ stage }) => {
  const body = Buffer.from(JSON.stringify({ ...chat(), user: 'caf\u00e9' }), 'latin1')
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const url = `${stage.url}/v1/chat/completions`
  const error = await errorOf(await fetch(url, { method: 'POST', headers, body }))
  assert.equal([error.status, error.code], [400, 'invalid_request'])
  assert.match(error.message, 'UTF-8')
  assert.is(stage.commands.length, 0)
})

Errors('a request id is taken over when it is sane', async ({ stage }) => {
  const ask = async (id: string) =>
    (await call(stage, '/healthz', { headers: { 'x-request-id': id } })).headers.get('x-request-id')
  assert.is(await ask('abc-123'), 'abc-123')
  assert.is.not(await ask('a b'), 'a b')
})

Errors('a draining edge finishes what runs and refuses what is new', async () => {
  const stage = await openStage()
  let finish = () => {}
  stage.play = ({ jobId }) => {
    finish = () => stage.say(...chunksOf(jobId, ['x']), completed(jobId, ['x']))
  }
  const running = call(stage, '/v1/chat/completions', { body: chat() })
  await until('the job was started', () => stage.commands.length === 1, SOON_MS)
  const stopped = stage.close()
  finish()
  assert.is((await running).status, 200)
  await stopped
  await call(stage, '/healthz').then(
    () => assert.unreachable('a stopped edge answered'),
    () => {},
  )
})

Errors.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { statusFault } from '../../../src/worker/engines/upstream-faults.ts'

const Refusals = suite('upstream refusals')

Refusals('refusals: whose doing they are', () => {
  const kind = (status: number, body: unknown) => statusFault(status, JSON.stringify(body)).kind
  const said = (message: string, more: object = {}) => ({ error: { message, ...more } })
  assert.is(kind(400, said('bad', { code: 'context_length_exceeded' })), 'context_length')
  assert.is(kind(400, said('the request exceeds the available context size')), 'context_length')
  assert.is(kind(400, { message: "This model's maximum context length is 10" }), 'context_length')
  assert.is(kind(400, said('temperature must be below 2')), 'invalid_request')
  assert.is(kind(422, { detail: [] }), 'invalid_request')
  for (const status of [401, 404, 500, 503]) assert.is(kind(status, said('x')), 'engine')
})

Refusals('who has no room now is told from who is broken or not paid', () => {
  const kind = (status: number, message: string, code?: string) =>
    statusFault(status, JSON.stringify({ error: { message, code } })).kind
  assert.is(statusFault(429, '').kind, 'overloaded')
  assert.is(kind(429, 'Rate limit reached for requests', 'rate_limit_exceeded'), 'overloaded')
  assert.is(kind(529, 'Overloaded'), 'overloaded')
  const ollama = 'server busy, please try again. maximum pending requests exceeded'
  assert.is(kind(503, ollama), 'overloaded')
  assert.is(kind(503, 'Loading model'), 'engine')
  assert.is(kind(429, 'You exceeded your current quota', 'insufficient_quota'), 'engine')
})

Refusals('what is allowed in a minute is not used up, though its refusal says where to pay', () => {
  const fault = (status: number, error: object) => statusFault(status, JSON.stringify({ error }))
  const pay = 'Need more tokens? Upgrade today at https://console.groq.com/settings/billing'
  const groq = { type: 'tokens', code: 'rate_limit_exceeded' }
  const soon = `Rate limit reached for model m: Limit 12000, Used 4437. Please try again in 11.455s. ${pay}`
  assert.is(fault(429, { message: soon, ...groq }).kind, 'overloaded')
  const together =
    'Your rate limit is 60 queries per minute. Please navigate to https://x.y/billing'
  assert.is(fault(429, { message: together, type: 'credit_limit' }).kind, 'overloaded')
  // Not the caller's doing, and the name of the operator's account is not for the caller.
  const large = `Request too large for model m in organization org_1: Limit 6000, Requested 9000. ${pay}`
  assert.is(fault(413, { message: large, ...groq }).kind, 'overloaded')
  const google = 'You exceeded your current quota, please check your plan and billing details.'
  assert.is(fault(429, { message: `${google}\nPlease retry in 34.07s.` }).kind, 'overloaded')
  assert.is(fault(429, { message: `${google}\nPlease try again in 9m38.016s.` }).kind, 'engine')
  assert.is(fault(413, { message: 'Payload too large' }).kind, 'invalid_request')
})

Refusals('a 400 about what is between operator and upstream is not the caller’s', () => {
  const google = (status: string, reason: string) => [
    { error: { code: 400, message: 'No', status, details: [{ '@type': 'x', reason }] } },
  ]
  for (const body of [
    google('INVALID_ARGUMENT', 'API_KEY_INVALID'),
    google('FAILED_PRECONDITION', 'x'),
    { error: { message: 'No', type: 'budget_exceeded', code: '400' } },
    { error: { message: 'No', type: 'invalid_request_error', code: 'model_decommissioned' } },
    { error: { message: 'No', type: 'invalid_request_error', code: 'organization_restricted' } },
    { error: { message: 'No', type: 'invalid_request_error', code: 'billing_hard_limit_reached' } },
    { error: { message: 'No', type: 'Arrearage', code: 'Arrearage', param: null } },
  ]) {
    const { kind, message } = statusFault(400, JSON.stringify(body))
    assert.is(kind, 'engine')
    assert.is(message, 'upstream answered 400: No')
  }
  const callers = statusFault(400, JSON.stringify(google('INVALID_ARGUMENT', 'x')))
  assert.is(callers.kind, 'invalid_request')
  assert.is(callers.message, 'No')
})

Refusals('a service that asks another is understood by what that one said', () => {
  const told = (status: number, raw: unknown, code = status) => {
    const error = {
      message: 'Provider returned error',
      code,
      metadata: { raw, provider_name: 'x' },
    }
    const { kind, message } = statusFault(status, JSON.stringify({ error }))
    return [kind, message]
  }
  const message = "This model's maximum context length is 8192 tokens. However, you requested 8246"
  const long = { error: { message, type: 'Bad Request', code: 400 } }
  for (const raw of [long, JSON.stringify(long), JSON.stringify({ object: 'error', message })]) {
    assert.equal(told(400, raw), ['context_length', message])
  }
  const odd = { detail: 'roles must alternate' }
  assert.equal(told(400, JSON.stringify(odd)), ['invalid_request', 'roles must alternate'])
  const rate = { error: { message: 'Limit 6000', code: 'rate_limit_exceeded' } }
  assert.is(told(413, JSON.stringify(rate))[0], 'overloaded')
  // In no known form, it may quote the prompt.
  const secret = 'the maximum context length is my secret'
  for (const raw of [secret, JSON.stringify({ input: secret }), null, undefined, 7]) {
    assert.equal(told(400, raw), ['invalid_request', 'Provider returned error'])
  }
  const busy = 'm is temporarily rate-limited upstream. Please retry shortly'
  assert.is(told(429, busy)[0], 'overloaded')
})

Refusals('a redirect is said to be one', () => {
  const { kind, message } = statusFault(307, '<html>Moved</html>')
  assert.is(kind, 'engine')
  assert.match(message, /^upstream answered 307: a redirect.*--upstream/)
})

Refusals('refusals: what of them is fit for a caller', () => {
  const message = (body: string) => statusFault(422, body).message
  const prompt = 'my secret'
  const item = { type: 'missing', loc: ['body', 'messages'], msg: 'Field required', input: prompt }
  const two = { detail: [item, { msg: 'No' }] }
  for (const told of [two, { object: 'error', message: two, code: null }]) {
    assert.is(message(JSON.stringify(told)), 'messages: Field required; No')
  }
  assert.is(message(JSON.stringify({ detail: 'Not today' })), 'Not today')
  const without = 'the engine refused the request (422)'
  for (const body of ['', prompt, '{}', JSON.stringify({ input: prompt }), '{"detail":[]}']) {
    assert.is(message(body), without)
  }
  assert.is(message(JSON.stringify({ message: 'x'.repeat(5_000) })).length, 300)
})

Refusals.run()

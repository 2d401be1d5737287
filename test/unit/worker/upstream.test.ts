import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { EngineFault } from '../../../src/worker/engine.ts'
import { statusFault } from '../../../src/worker/engines/upstream-faults.ts'
import {
  matchModels,
  modelIdOf,
  parseWantedModels,
} from '../../../src/worker/engines/upstream-models.ts'
import { UpstreamStream } from '../../../src/worker/engines/upstream-stream.ts'
import { data } from '../../fakes/pool/upstream.ts'

const Models = suite('upstream models')

Models('names of the launch lineup: exact, any case, and Ollama’s', () => {
  const names = {
    'Qwen/Qwen3-8B': 'Qwen/Qwen3-8B',
    'qwen/qwen3-8b': 'Qwen/Qwen3-8B',
    'qwen3:8b': 'Qwen/Qwen3-8B',
    qwen3: 'Qwen/Qwen3-8B',
    'llama3.3:70b': 'meta-llama/Llama-3.3-70B-Instruct',
    'llama3.2:3b': 'meta-llama/Llama-3.2-3B-Instruct',
    'gemma3:27b': 'google/gemma-3-27b-it',
    'mistral:7b': 'mistralai/Mistral-7B-Instruct-v0.3',
    // Another size, and a name unheard of: ids as they stand, for the catalogue to know or not.
    'gemma3:4b': 'gemma3:4b',
    'new/Model': 'new/Model',
  }
  for (const [name, id] of Object.entries(names)) assert.is(modelIdOf(name), id, name)
})

Models('serves what is listed and wanted, under the upstream’s names', () => {
  const listed = [{ id: 'local', max_model_len: 8_192 }, { id: 'qwen3:14b' }, { id: 'odd' }]
  const wanted = parseWantedModels(' Qwen/Qwen3-8B=local , Qwen/Qwen3-14B')
  const { served, skipped } = matchModels(listed, wanted)
  assert.equal(
    [...served.values()],
    [
      { id: 'Qwen/Qwen3-8B', upstream: 'local', contextWindow: 8_192 },
      { id: 'Qwen/Qwen3-14B', upstream: 'qwen3:14b', contextWindow: 0 },
    ],
  )
  assert.equal(skipped, ['odd'])
  assert.equal(matchModels([{ id: 'mistral:7b' }], wanted).served.size, 0, 'not wanted')
  assert.equal(matchModels([{ id: 'mistral:7b' }], []).served.size, 1, 'nothing wanted: all')
})

Models('a model of tomorrow is offered under its id, or under the one it is given', () => {
  const listed = [{ id: 'new/model' }, { id: 'local' }, { id: 'my own' }]
  assert.equal([...matchModels(listed, []).served.keys()], ['new/model', 'local'])
  const { served } = matchModels(listed, parseWantedModels('newer/model=local'))
  assert.equal([...served.values()], [{ id: 'newer/model', upstream: 'local', contextWindow: 0 }])
})

Models('a name without a tag is that of the latest, as where Ollama has made it', () => {
  const ofOllama = (...names: string[]) => {
    const { served } = matchModels(
      names.map((id) => ({ id })),
      parseWantedModels('Qwen/Qwen3-8B=own'),
    )
    return [...served.values()].map(({ upstream }) => upstream)
  }
  assert.equal(ofOllama('own:latest'), ['own:latest'])
  assert.equal(ofOllama('own:8b', 'owner:latest'), [])
})

Models('a wish that can be no id is an error that names it', () => {
  assert.throws(() => parseWantedModels('Qwen/Qwen3-8B,=local'), /WORKER_MODELS: =local/)
  assert.throws(() => parseWantedModels('my model=local'), /WORKER_MODELS: my model/)
})

Models.run()

const Stream = suite('upstream stream')
const chunk = (delta: object, finish_reason: string | null = null) =>
  data({ choices: [{ index: 0, delta, finish_reason }] })
const read = (...events: string[]) => {
  const stream = new UpstreamStream()
  const text = events.map((event) => stream.push(Buffer.from(event)).text).join('')
  return { text: text + stream.end().text, ...stream.ending(11) }
}
const usage = (more: object = {}) =>
  data({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 40, ...more } })

Stream('text may be in `message`, and the whole answer there once more after its deltas', () => {
  const say = (choice: object) => data({ choices: [{ index: 0, ...choice }] })
  const said = { role: 'assistant', content: 'a b' }
  const whole = read(say({ message: said, finish_reason: 'stop' }))
  assert.is(whole.text, 'a b')
  assert.is(whole.usage.completionTokens, 1)
  const parts = read(
    say({ delta: { role: 'assistant' }, message: { content: 'a' } }),
    say({ message: { content: ' b' } }),
    say({ delta: {}, finish_reason: 'stop' }),
  )
  assert.is(parts.text, 'a b')
  const repeated = read(
    chunk({ content: 'a' }),
    chunk({ content: ' b' }),
    say({ message: said, finish_reason: 'stop' }),
  )
  assert.is(repeated.text, 'a b')
  const odd = read(say({ delta: { content: 'a b' }, message: 'hm', finish_reason: 'stop' }))
  assert.is(odd.text, 'a b')
})

Stream('usage comes from the upstream where it gives one', () => {
  const got = read(
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'a' }),
    chunk({}, 'length'),
    usage(),
  )
  assert.equal(got, {
    text: 'a',
    finishReason: 'length',
    usage: { promptTokens: 5, completionTokens: 40 },
  })
})

Stream('without usage, events with content are counted', () => {
  const got = read(chunk({ content: 'a' }), chunk({ content: 'b' }), chunk({}, 'eos_token'))
  assert.equal(got.usage, { promptTokens: 11, completionTokens: 2 })
  assert.is(got.finishReason, 'stop')
})

Stream('a usage of nought beside text is none: LocalAI says it where it has not counted', () => {
  const nought = { prompt_tokens: 0, completion_tokens: 0 }
  const events = [chunk({ content: 'a' }), chunk({ content: 'b' }), chunk({}, 'stop')]
  const counted = { promptTokens: 11, completionTokens: 2 }
  assert.equal(read(...events, usage(nought)).usage, counted)
  assert.equal(read(...events, usage(nought), usage()).usage.completionTokens, 40)
  assert.is(read(chunk({}, 'stop'), usage(nought)).usage.completionTokens, 0, 'an empty answer')
})

Stream('thinking is neither text nor billed', () => {
  const events = [chunk({ reasoning_content: 'hm' }), chunk({ content: 'a' }), chunk({}, 'stop')]
  const known = { completion_tokens_details: { reasoning_tokens: 38 } }
  assert.is(read(...events, usage(known)).usage.completionTokens, 2)
  assert.is(read(...events, usage()).usage.completionTokens, 1)
  assert.is(read(...events, usage()).text, 'a')
  const none = { completion_tokens_details: { reasoning_tokens: 0 } }
  assert.is(read(...events, usage(none)).usage.completionTokens, 1, 'it did think')
  assert.is(read(...events.slice(1), usage(none)).usage.completionTokens, 40)
})

Stream('an answer whose thinking is counted beside it is billed as a whole', () => {
  const told = (reasoning_tokens: number, total_tokens?: number) => {
    const counts = { total_tokens, completion_tokens_details: { reasoning_tokens } }
    return read(chunk({ content: 'a' }), chunk({}, 'stop'), usage(counts)).usage.completionTokens
  }
  // Of a prompt of 5 and an answer of 40.
  assert.is(told(30, 75), 40)
  assert.is(told(94), 40, 'more than all')
  assert.is(told(30, 45), 10)
  assert.is(told(30), 10)
  assert.is(told(40, 45), 0)
})

Stream('text in parts is text, and thinking in parts is not', () => {
  const text = (text: string) => ({ type: 'text', text })
  const thought = (words: string) => [{ type: 'thinking', thinking: [text(words)] }]
  const end = chunk({}, 'stop')
  const got = read(
    chunk({ content: thought('Okay') }),
    chunk({ content: [...thought(', so'), text('text')] }),
    chunk({ content: ' b' }),
    chunk({ content: [text(' c'), { type: 'reference', reference_ids: [1] }, text(' d')] }),
    ...[' text', ' e', ' "f"'].map((said) => chunk({ content: [text(said)] })),
    ...[end, usage()],
  )
  assert.is(got.text, 'text b c d text e "f"')
  assert.is(got.usage.completionTokens, 6, 'it did think')
  assert.is(read(chunk({ content: [text('a')] }), end, usage()).usage.completionTokens, 40)
  isFault('engine', () => read(chunk({ content: [{ text: 'of no type' }] }), end))
})

Stream('an answer that its engine gave up is none', () => {
  const said = chunk({ content: 'a' })
  const gaveUp = ['abort', 'error', 'insufficient_system_resource', 'network_error']
  for (const reason of [...gaveUp, 'cancelled', 'timeout', 'time_limit']) {
    isFault('engine', () => read(said, chunk({}, reason)))
  }
  for (const reason of ['tool_calls', 'function_call']) {
    isFault('engine', () => read(chunk({}, reason)))
    assert.is(read(said, chunk({}, reason)).finishReason, 'stop')
  }
})

Stream('an answer that was cut short, or withheld, says so, in whatever word', () => {
  for (const [reason, told] of Object.entries({
    length: 'length',
    model_length: 'length',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    sensitive: 'content_filter',
    stop_sequence: 'stop',
  })) {
    assert.is(read(chunk({ content: 'a' }), chunk({}, reason)).finishReason, told, reason)
  }
})

Stream('a count that is none is not there', () => {
  const events = [chunk({ content: 'a' }), chunk({}, 'stop')]
  const odd = { completion_tokens_details: { reasoning_tokens: -1 } }
  assert.is(read(...events, usage(odd)).usage.completionTokens, 40)
  const counted = { promptTokens: 11, completionTokens: 1 }
  for (const count of [-1, 1.5, '40', {}]) {
    const { usage: got } = read(
      ...events,
      usage({ prompt_tokens: count, completion_tokens: count }),
    )
    assert.equal(got, counted)
  }
  assert.equal(read(...events, data({ choices: [], usage: 'none' })).usage, counted)
})

Stream('after the last word, half an event is the end', () => {
  const events = [chunk({ content: 'a' }), chunk({}, 'stop'), usage()]
  assert.is(read(...events, 'data: [DO').usage.completionTokens, 40)
  isFault('engine', () => read(events[0]!, 'data: {"cho'))
})

Stream('errors that come with status 200: whose doing they are', () => {
  const long = "This model's maximum context length is 10 tokens"
  const flat = { object: 'error', message: long, type: 'BadRequestError', code: 400 }
  for (const told of [flat, { error: { message: long } }, { ...flat, code: null }]) {
    isFault('context_length', () => read(data(told)))
    isFault('context_length', () => read(JSON.stringify(told, null, 2)))
  }
  const odd = { ...flat, message: 'roles must alternate' }
  isFault('invalid_request', () => read(data(odd)))
  isFault('invalid_request', () => read(JSON.stringify({ error: odd })))
  isFault('engine', () => read(JSON.stringify({ ...odd, code: 503 })), /503: roles must alternate/)
  isFault('engine', () => read(data({ object: 'error' })))
})

Stream('an error that llama.cpp tells in a field of its own is read', () => {
  const long = 'the request exceeds the available context size. try increasing the context size'
  const told = (error: object) => `error: ${JSON.stringify(error)}\n\n`
  const done = 'data: [DONE]\n\n'
  const refused = told({ code: 400, message: long, type: 'invalid_request_error' })
  isFault('context_length', () => read(refused, done), /^the request exceeds/)
  const broken = told({ code: 500, message: 'failed to decode', type: 'server_error' })
  isFault('engine', () => read(chunk({ content: 'a' }), broken, done), /500: failed to decode/)
})

Stream('a body that is no stream is not quoted', () => {
  const answer = { object: 'chat.completion', choices: [{ message: { content: long } }] }
  for (const body of [`<html>${long}</html>`, JSON.stringify(answer), long]) {
    isFault('engine', () => read(body), /^upstream answered 200 with [\w ]+ no stream$/)
  }
})

const long = 'the maximum context length is my secret'
function isFault(kind: EngineFault['kind'], call: () => unknown, words = /./): void {
  assert.throws(call, (error: unknown) => {
    assert.instance(error, EngineFault)
    const fault = error as EngineFault
    assert.is(fault.kind, kind, fault.message)
    assert.match(fault.message, words)
    return true
  })
}

Stream('no finish_reason, an error event and nonsense are engine faults', () => {
  for (const events of [[chunk({ content: 'a' })], [data({ error: 'x' })], ['data: {\n\n']]) {
    assert.throws(
      () => read(...events),
      (error: unknown) => error instanceof EngineFault,
    )
  }
})

Stream('refusals: whose doing they are', () => {
  const kind = (status: number, body: unknown) => statusFault(status, JSON.stringify(body)).kind
  const said = (message: string, more: object = {}) => ({ error: { message, ...more } })
  assert.is(kind(400, said('bad', { code: 'context_length_exceeded' })), 'context_length')
  assert.is(kind(400, said('the request exceeds the available context size')), 'context_length')
  assert.is(kind(400, { message: "This model's maximum context length is 10" }), 'context_length')
  assert.is(kind(400, said('temperature must be below 2')), 'invalid_request')
  assert.is(kind(422, { detail: [] }), 'invalid_request')
  for (const status of [401, 404, 500, 503]) assert.is(kind(status, said('x')), 'engine')
})

Stream('who has no room now is told from who is broken or not paid', () => {
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

Stream('what is allowed in a minute is not used up, though its refusal says where to pay', () => {
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

Stream('a 400 about what is between operator and upstream is not the caller’s', () => {
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

Stream('a service that asks another is understood by what that one said', () => {
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

Stream('a redirect is said to be one', () => {
  const { kind, message } = statusFault(307, '<html>Moved</html>')
  assert.is(kind, 'engine')
  assert.match(message, /^upstream answered 307: a redirect.*--upstream/)
})

Stream('refusals: what of them is fit for a caller', () => {
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

Stream.run()

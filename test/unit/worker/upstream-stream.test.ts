import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { EngineFault } from '../../../src/worker/engine.ts'
import { UpstreamStream } from '../../../src/worker/engines/upstream-stream.ts'
import { data } from '../../fakes/pool/upstream.ts'

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

Stream.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stream, type Upstream } from '../fakes/pool/upstream.ts'
import { until } from '../until.ts'
import { type BehindUpstream, listed, networkBehind } from './behind-upstream.ts'
import { bodyOf, type Customer, chat, jobSettles } from './customer.ts'
import type { Completion } from './public-shapes.ts'
import { streamed } from './streamed.ts'
import { says } from './upstream-replies.ts'

/** The network in front of somebody else's inference server. */
const Behind = suite('upstream')

const MODEL = 'Qwen/Qwen3-8B'
const LLAMA = 'meta-llama/Llama-3.2-3B-Instruct'
const messages = [{ role: 'user', content: 'Hello' }]
const ask = { model: MODEL, messages, max_tokens: 100 }

let behind: BehindUpstream
let upstream: Upstream
let customer: Customer

Behind.before(async () => {
  behind = await networkBehind([MODEL, 'llama3.2:3b', 'somebody/unheard-of'])
  ;({ upstream, customer } = behind)
})

Behind.before.each(() => {
  upstream.requests.length = 0
  upstream.answer = says('Hello', ', ', 'world')
})

Behind.after(async () => {
  await behind?.close()
})

Behind('the models that it has are the ones listed, under our names', async () => {
  const ids = (await listed(customer)).map(({ id }) => id)
  assert.equal(ids, [MODEL, LLAMA])
})

Behind('parameters reach it unchanged', async () => {
  const asked = {
    temperature: 0.123456789,
    top_p: 0.95,
    stop: ['\n\n', 'END'],
    frequency_penalty: -1.5,
    presence_penalty: 0.3,
    seed: -9_007_199_254_740_991,
    max_tokens: 77,
  }
  const said = [
    { role: 'system', content: 'Être bref ✓ \u{1f600}' },
    { role: 'user', content: 'a\r\n\tb\u0000' },
    { role: 'assistant', content: '' },
    { role: 'user', content: 'x'.repeat(100_000) },
  ]
  bodyOf(await chat(customer, { model: MODEL, messages: said, ...asked }))
  assert.equal(upstream.requests, [
    {
      model: MODEL,
      messages: said,
      ...asked,
      stream: true,
      stream_options: { include_usage: true },
    },
  ])
})

Behind('what was not asked for is not sent, and a name of its own is used', async () => {
  bodyOf(await chat(customer, { model: LLAMA, messages, stop: 'END', temperature: 0, seed: 0 }))
  const { max_tokens, ...sent } = upstream.requests[0]!
  assert.equal(sent, {
    model: 'llama3.2:3b',
    messages,
    temperature: 0,
    seed: 0,
    stop: ['END'],
    stream: true,
    stream_options: { include_usage: true },
  })
  // The most that the window leaves.
  assert.ok(Number(max_tokens) > 131_000 && Number(max_tokens) <= 131_072, String(max_tokens))
})

Behind('a prompt as large as a body may be arrives whole', async () => {
  const lines = Array.from({ length: 2_048 }, (_, i) => ({ role: 'user', content: `line ${i}` }))
  bodyOf(await chat(customer, { ...ask, messages: lines }))
  assert.equal(upstream.requests[0]!.messages, lines)

  // One run of blanks, so that no count of characters speaks against it.
  const large = [{ role: 'user', content: `a${' '.repeat(4_190_000)}b` }]
  const answer = await chat(customer, { model: MODEL, messages: large })
  assert.is(answer.status, 200, answer.text)
  const { messages: arrived, max_tokens } = upstream.requests[1]!
  assert.equal(arrived, large)
  assert.ok(Number(max_tokens) > 32_000, `room for ${max_tokens} tokens`)
})

Behind('its words, its usage and its ending reach the caller', async () => {
  upstream.answer = (_request, response) =>
    // A character outside the basic plane comes in halves.
    stream(response, ['Grüße', ' ', '世', '界\ud83d', '\ude00\n'], {
      finishReason: 'length',
      usage: { prompt_tokens: 11, completion_tokens: 12 },
    })
  const usage = { prompt_tokens: 11, completion_tokens: 12, total_tokens: 23 }
  const plain: Completion = bodyOf(await chat(customer, ask))
  assert.is(plain.choices[0].message.content, 'Grüße 世界\u{1f600}\n')
  assert.is(plain.choices[0].finish_reason, 'length')
  assert.equal(plain.usage, usage)

  const stream_options = { include_usage: true }
  const live = streamed(await chat(customer, { ...ask, stream: true, stream_options }))
  assert.is(live.text, 'Grüße 世界\u{1f600}\n')
  assert.is(live.finishReason, 'length')
  assert.equal(live.chunks.at(-1)?.usage, usage)
  assert.ok(live.isDone)
})

Behind('an empty answer is an answer', async () => {
  upstream.answer = (_request, response) =>
    stream(response, [], { usage: { prompt_tokens: 9, completion_tokens: 0 } })
  const plain: Completion = bodyOf(await chat(customer, ask))
  assert.is(plain.choices[0].message.content, '')
  const live = streamed(await chat(customer, { ...ask, stream: true }))
  assert.is(live.text, '')
  assert.is(live.finishReason, 'stop')
  assert.is((await jobSettles(customer, live.service?.job_id ?? '')).credits_charged, 8)
})

Behind('an upstream that bills more than was asked for is paid for what was asked', async () => {
  upstream.answer = (_request, response) =>
    stream(response, ['a'], { usage: { prompt_tokens: 9, completion_tokens: 1_000_000 } })
  const answer = await chat(customer, ask)
  const completion: Completion = bodyOf(answer)
  assert.is(completion.usage.completion_tokens, ask.max_tokens)
  const job = await jobSettles(customer, completion.id.replace('chatcmpl-', ''))
  assert.is(job.credits_charged, 8)
})

Behind('an upstream that says more than was asked for is stopped', async () => {
  upstream.answer = (_request, response) =>
    stream(
      response,
      Array.from({ length: 400 }, (_, i) => ` ${i}`),
      { everyMs: 5, usage: null },
    )
  const cut = upstream.cut
  const completion: Completion = bodyOf(await chat(customer, { ...ask, max_tokens: 10 }))
  assert.is(completion.usage.completion_tokens, 10)
  assert.is(completion.choices[0].finish_reason, 'length')
  await until('the upstream is let go', async () => upstream.cut > cut)
})

Behind.run()

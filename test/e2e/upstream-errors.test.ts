import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { data, stream, type Upstream } from '../fakes/pool/upstream.ts'
import { until } from '../until.ts'
import { type BehindUpstream, networkBehind } from './behind-upstream.ts'
import type { ChainReader } from './chain-reader.ts'
import {
  type Answer,
  balanceBecomes,
  bodyOf,
  type Customer,
  chat,
  jobBecomes,
  jobSettles,
  restingBalance,
} from './customer.ts'
import type { Completion, Refused } from './public-shapes.ts'
import { streamed } from './streamed.ts'
import { diesAfter, inTurn, refuses, says } from './upstream-replies.ts'

/** An upstream that refuses, fails or dies, and what that costs the caller. */
const Faulty = suite('upstream errors')

const MODEL = 'Qwen/Qwen3-8B'
const ask = { model: MODEL, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 }

let behind: BehindUpstream
let upstream: Upstream
let customer: Customer
let chain: ChainReader

Faulty.before(async () => {
  behind = await networkBehind([MODEL])
  ;({ upstream, customer, chain } = behind)
})

Faulty.before.each(() => {
  upstream.requests.length = 0
  upstream.answer = says('Hello', ', ', 'world')
})

Faulty.after(async () => {
  await behind?.close()
})

Faulty('an overlong prompt is the caller’s to mend: 400, and the credits are back', async () => {
  const before = await balance()
  const message = "This model's maximum context length is 10 tokens, you asked for 20."
  upstream.answer = refuses(400, { message, code: 'context_length_exceeded', type: 'bad' })
  for (const isStream of [false, true]) {
    const answer = await chat(customer, { ...ask, stream: isStream })
    const error = refused(answer, 400, 'context_length_exceeded')
    assert.is(error.param, 'messages')
    assert.match(error.message, message)
    await isPaidBack(answer, before)
  }
  // Each once with a cap and once without, at both workers: so short a prompt cannot be too long.
  assert.is(upstream.requests.length, 8)
})

Faulty('a refusal of another kind is told in its words', async () => {
  const before = await balance()
  upstream.answer = refuses(400, { message: 'roles must alternate' })
  // One alone is believed where the other is not free, as one that rests is not.
  await until('both workers are asked', async () => {
    upstream.requests.length = 0
    const answer = await chat(customer, ask)
    const { message } = refused(answer, 400, 'invalid_request')
    assert.match(message, 'roles must alternate')
    await isPaidBack(answer, before)
    return upstream.requests.length === 2
  })
})

Faulty('its 500 is tried at the other worker, then told as ours', async () => {
  const before = await balance()
  upstream.answer = refuses(500, { message: 'CUDA out of memory at /srv/secret' })
  for (const isStream of [false, true]) {
    upstream.requests.length = 0
    const answer = await chat(customer, { ...ask, stream: isStream })
    const { message } = refused(answer, 500, 'internal_error')
    assert.not.match(message, 'secret')
    assert.is(upstream.requests.length, 2)
    await isPaidBack(answer, before)
  }
})

Faulty('an upstream without room at both workers is a 503 with a time to wait', async () => {
  const before = await balance()
  upstream.answer = refuses(429, { message: 'Rate limit reached', code: 'rate_limit_exceeded' })
  const answer = await chat(customer, ask)
  const { type } = refused(answer, 503, 'no_workers_available')
  assert.is(type, 'capacity_error')
  assert.is(answer.headers['retry-after'], '5')
  await isPaidBack(answer, before)
})

Faulty('a 500 that the other worker does not meet is not seen by the caller', async () => {
  const before = await balance()
  for (const isStream of [false, true]) {
    upstream.answer = inTurn(refuses(500, { message: 'once' }), says('second ', 'try'))
    const answer = await chat(customer, { ...ask, stream: isStream })
    assert.is(answer.status, 200, answer.text)
    const text = isStream ? streamed(answer).text : textOf(bodyOf(answer))
    assert.is(text, 'second try')
    const jobId = String(answer.headers['x-svc-job-id'])
    assert.is((await jobSettles(customer, jobId)).worker_address, answer.headers['x-svc-worker'])
  }
  await balanceBecomes(customer, before - 16)
})

Faulty('dying in the middle of a stream is told in the stream, and costs nothing', async () => {
  const before = await balance()
  upstream.answer = diesAfter('Once upon', ' a time')
  const answer = await chat(customer, { ...ask, stream: true })
  assert.is(answer.status, 200)
  const { text, error, isDone, service } = streamed(answer)
  assert.is(text, 'Once upon a time')
  assert.not(isDone)
  assert.is(service, undefined)
  assert.is(error?.code, 'internal_error')
  assert.is(error?.type, 'server_error')
  assert.is(upstream.requests.length, 1, 'what was said cannot be begun anew')
  await isPaidBack(answer, before)
})

Faulty('an error event in the middle of its stream is no part of the answer', async () => {
  const before = await balance()
  upstream.answer = (_request, response) => {
    response.setHeader('content-type', 'text/event-stream')
    response.write(data({ choices: [{ index: 0, delta: { content: 'Once' } }] }))
    setTimeout(
      () => response.end(data({ error: { message: 'out of memory at /srv/secret' } })),
      200,
    )
  }
  const answer = await chat(customer, { ...ask, stream: true })
  const { text, error, isDone } = streamed(answer)
  assert.is(text, 'Once')
  assert.not(isDone)
  assert.is(error?.code, 'internal_error')
  assert.not.match(answer.text, 'secret')
  await isPaidBack(answer, before)
})

Faulty('a caller who gives up before the first word pays nothing', async () => {
  const before = await balance()
  const cut = upstream.cut
  const asked = new Promise<void>((resolve) => {
    upstream.answer = () => resolve()
  })
  const signal = new AbortController()
  const answer = fetch(`${customer.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...ask, stream: true }),
    signal: signal.signal,
  })
  await Promise.race([asked, answer])
  signal.abort()
  await answer.then(
    () => assert.unreachable('nothing was said, so nothing can have been answered'),
    (error: Error) => assert.is(error.name, 'AbortError'),
  )
  const lock = (await chain.locksOf(customer.wallet)).at(-1)!
  const jobId = Buffer.from(lock.args.jobId.slice(2), 'hex').toString().replace(/\0+$/, '')
  const job = await jobBecomes(customer, jobId, ({ on_chain }) => on_chain.block_number !== null)
  assert.is(job.status, 'failed')
  await balanceBecomes(customer, before)
  await until('the upstream is told', async () => upstream.cut > cut)
  assert.is(upstream.cut, cut + 1)
})

Faulty('dying in the middle of a plain answer is mended by the other worker', async () => {
  const before = await balance()
  upstream.answer = inTurn(diesAfter('Once upon', ' a time'), says('Twice', ' told'))
  const answer = await chat(customer, ask)
  assert.is(textOf(bodyOf(answer)), 'Twice told')
  assert.is(upstream.requests.length, 2)
  await jobSettles(customer, String(answer.headers['x-svc-job-id']))
  await balanceBecomes(customer, before - 8)
})

Faulty('ending without a finish_reason, or with one that says so, counts as dying', async () => {
  const before = await balance()
  const reasons = [null, 'abort', 'error']
  for (const finishReason of reasons) {
    upstream.answer = inTurn(
      (_request, response) => stream(response, ['cut'], { finishReason }),
      says('whole'),
    )
    const answer = await chat(customer, ask)
    assert.is(textOf(bodyOf(answer)), 'whole')
    await jobSettles(customer, String(answer.headers['x-svc-job-id']))
  }
  await balanceBecomes(customer, before - 8 * reasons.length)
})

Faulty('an overlong prompt is the caller’s to mend, though it is told with a 200', async () => {
  const before = await balance()
  const message = "This model's maximum context length is 10 tokens, you asked for 20."
  const told = { object: 'error', message, type: 'BadRequestError', code: 400 }
  for (const body of [JSON.stringify(told), data(told)]) {
    upstream.answer = (_request, response) => response.end(body)
    const answer = await chat(customer, ask)
    assert.match(refused(answer, 400, 'context_length_exceeded').message, message)
    await isPaidBack(answer, before)
  }
})

Faulty('after all of that what the escrow holds is what it owes', async () => {
  const { heldUnits, owedUnits } = await chain.books()
  assert.is(heldUnits, owedUnits)
  assert.is((await chain.account(customer.wallet)).locked, 0n)
})

const balance = (): Promise<number> => restingBalance(customer, chain)
const textOf = ({ choices }: Completion): string => choices[0].message.content

function refused({ status, text }: Answer, wantedStatus: number, code: string): Refused {
  assert.is(status, wantedStatus, text)
  const { error }: { error: Refused } = JSON.parse(text)
  assert.is(error.code, code)
  return error
}

async function isPaidBack({ headers }: Answer, before: number): Promise<void> {
  const jobId = String(headers['x-svc-job-id'])
  const job = await jobBecomes(customer, jobId, ({ on_chain }) => on_chain.block_number !== null)
  assert.is(job.status, 'failed')
  assert.is(job.credits_charged, 0)
  assert.is((await chain.refund(jobId))?.transactionHash, job.on_chain.refund_tx)
  await balanceBecomes(customer, before)
}

Faulty.run()

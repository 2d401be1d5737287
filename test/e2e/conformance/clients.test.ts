import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stream, type Upstream } from '../../fakes/pool/upstream.ts'
import { until } from '../../until.ts'
import { type BehindUpstream, networkBehind } from '../behind-upstream.ts'
import { hashOf } from '../calls.ts'
import {
  balanceBecomes,
  type Customer,
  jobSettles,
  newCustomer,
  restingBalance,
} from '../customer.ts'
import type { Job } from '../public-shapes.ts'
import { diesAfter } from '../upstream-replies.ts'
import { type Ask, CLIENTS, type Door, type RealClient, type Shown } from './clients.ts'

/** Published clients of the common protocol: what they show is what the job's record says. */
const Clients = suite('conformance: real clients')

const MODEL = 'Qwen/Qwen3-8B'
const TEXTS = ['Grüße', ', ', '世界', ' \u{1f600}', '\nand', ' goodbye.\n']
const TEXT = TEXTS.join('')
const USAGE = { prompt_tokens: 21, completion_tokens: 12 }
const SAMPLING = {
  temperature: 0.7,
  topP: 0.9,
  stop: ['END', 'HALT'],
  frequencyPenalty: 0.5,
  presencePenalty: -0.5,
  seed: 7,
}
const ask: Ask = {
  model: MODEL,
  system: 'Be brief.',
  turns: [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'And now? ✓' },
  ],
  maxTokens: 50,
}
/** More than the window by any count. */
const OVERLONG: Ask = { ...ask, turns: [{ role: 'user', content: 'ab'.repeat(300_000) }] }

let behind: BehindUpstream
let upstream: Upstream
let customer: Customer

Clients.before(async () => {
  behind = await networkBehind([MODEL])
  ;({ upstream, customer } = behind)
})
Clients.before.each(() => {
  upstream.requests.length = 0
  upstream.answer = (_request, response) => stream(response, TEXTS, { usage: USAGE })
})
Clients.after(async () => {
  await behind?.close()
})

for (const client of CLIENTS) {
  const test = (what: string, run: () => Promise<void>) => Clients(`${client.name}: ${what}`, run)

  test('a plain answer', async () => {
    await isAsRecorded(await client.plain(customer, ask))
  })

  test('a stream', async () => {
    upstream.answer = (_request, response) => stream(response, TEXTS, { usage: USAGE, everyMs: 30 })
    const lengths: number[] = []
    const shown = await client.stream(customer, ask, (text) => {
      lengths.push(text.length)
      return undefined
    })
    await isAsRecorded(shown)
    assert.ok(lengths.length > 1)
  })

  test('the system message and every turn arrive, in order', async () => {
    await client.plain(customer, ask)
    await client.stream(customer, ask)
    const said = [{ role: 'system', content: ask.system }, ...ask.turns]
    for (const { messages } of upstream.requests) assert.equal(messages, said)
    assert.is(upstream.requests.length, 2)
  })

  test('every sampling parameter arrives unchanged', async () => {
    await client.plain(customer, { ...ask, sampling: SAMPLING })
    await client.stream(customer, { ...ask, sampling: SAMPLING })
    assert.is(upstream.requests.length, 2)
    for (const request of upstream.requests) {
      const { messages: _, stream: __, stream_options: ___, ...parameters } = request
      assert.equal(parameters, {
        model: MODEL,
        max_tokens: ask.maxTokens,
        temperature: SAMPLING.temperature,
        top_p: SAMPLING.topP,
        stop: SAMPLING.stop,
        frequency_penalty: SAMPLING.frequencyPenalty,
        presence_penalty: SAMPLING.presencePenalty,
        seed: SAMPLING.seed,
      })
    }
  })

  test('finish_reason length', async () => {
    upstream.answer = (_request, response) =>
      stream(response, TEXTS, { usage: USAGE, finishReason: 'length' })
    assert.is((await client.plain(customer, ask)).finishReason, 'length')
    assert.is((await client.stream(customer, ask)).finishReason, 'length')
  })

  const refusal = (
    what: string,
    wanted: { status: number; code: string },
    request: () => Promise<{ door?: Door; ask?: Ask }>,
  ) =>
    test(`${what}: ${wanted.status} ${wanted.code}`, async () => {
      const { door = customer, ask: asked = ask } = await request()
      for (const how of ['plain', 'stream'] as const) {
        const { message, ...rest } = await errorOf(client, client[how](door, asked))
        assert.equal(rest, wanted, message)
        assert.ok(message.length > 10)
      }
      assert.is(upstream.requests.length, 0)
    })
  refusal('a wrong key', { status: 401, code: 'invalid_api_key' }, async () => ({
    door: { ...customer, apiKey: `svc_live_${'0'.repeat(32)}` },
  }))
  refusal('a suspended key', { status: 403, code: 'key_suspended' }, async () => ({
    door: await newCustomer(behind.network, 'suspended'),
  }))
  refusal('an empty wallet', { status: 402, code: 'insufficient_credits' }, async () => ({
    door: await newCustomer(behind.network),
  }))
  refusal('an unknown model', { status: 400, code: 'model_not_found' }, async () => ({
    ask: { ...ask, model: 'nobody/nothing' },
  }))
  refusal('a context too long', { status: 400, code: 'context_length_exceeded' }, async () => ({
    ask: OVERLONG,
  }))
  refusal('a value out of range', { status: 400, code: 'invalid_request' }, async () => ({
    ask: { ...ask, sampling: { ...SAMPLING, temperature: 3 } },
  }))

  test('a stream that breaks is an error, not a short answer', async () => {
    upstream.answer = diesAfter('Once upon', ' a time')
    const before = await restingBalance(customer, behind.chain)
    const { code, message } = await errorOf(client, client.stream(customer, ask))
    assert.is(code, 'internal_error', message)
    await balanceBecomes(customer, before)
  })

  test('a stream that is left is settled for what was made', async () => {
    upstream.answer = (_request, response) =>
      stream(
        response,
        Array.from({ length: 200 }, (_, i) => `${i} `),
        { everyMs: 20, usage: null },
      )
    const cut = upstream.cut
    const left = client.stream(customer, ask, (text) => (text.length > 10 ? 'leave' : undefined))
    await left.catch((error: Error) => assert.match(`${error.name} ${error.message}`, /abort/i))
    await until('the upstream was stopped', async () => upstream.cut > cut)
    const lock = (await behind.chain.locksOf(customer.wallet)).at(-1)
    const jobId = Buffer.from(lock!.args.jobId.slice(2), 'hex').toString().replace(/\0+$/, '')
    const job = await jobSettles(customer, jobId)
    assert.is(job.credits_charged, 8)
    assert.ok(job.usage && job.usage.completion_tokens < 150, 'not the whole of it')
  })
}

Clients('after all of that what the escrow holds is what it owes', async () => {
  const { heldUnits, owedUnits } = await behind.chain.books()
  assert.is(heldUnits, owedUnits)
  assert.is((await behind.chain.account(customer.wallet)).locked, 0n)
})

/** What the client shows, and what GET /jobs and the chain say of the same job. */
async function isAsRecorded(shown: Shown): Promise<void> {
  const { id, ...rest } = shown
  assert.match(id, /^chatcmpl-job_/)
  assert.equal(rest, {
    text: TEXT,
    finishReason: 'stop',
    promptTokens: USAGE.prompt_tokens,
    completionTokens: USAGE.completion_tokens,
  })
  const job: Job = await jobSettles(customer, id.replace('chatcmpl-', ''))
  assert.is(job.on_chain.proof_hash, hashOf(shown.text))
  assert.equal(job.usage, { ...USAGE, total_tokens: 33 })
  assert.is(job.model, MODEL)
  assert.is(job.credits_charged, 8)
  assert.is((await behind.chain.settlement(job.id))?.args.outputTokens, shown.completionTokens)
}

async function errorOf(client: RealClient, request: Promise<unknown>) {
  const error = await request.then(
    () => {
      throw new Error('it was answered where an error was awaited')
    },
    (reason: unknown) => reason,
  )
  return client.errorOf(error)
}

Clients.run()

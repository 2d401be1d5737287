import OpenAI, {
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
} from 'openai'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Network, startNetwork } from '../network/network.ts'
import { refused, same } from './client-errors.ts'
import { type Customer, firstCustomer, jobBecomes, newCustomer } from './customer.ts'

/** OpenAI's own client, changed in nothing but the address and the key. */
const Client = suite('the openai client')

const MODEL = 'Qwen/Qwen3-8B'
const UNSERVED_MODEL = 'google/gemma-3-27b-it'
const SAMPLE_TOKENS = 300
const prompt = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Hello.' },
  { role: 'user', content: 'And now?' },
] as const satisfies OpenAI.ChatCompletionMessageParam[]
const brief = { model: MODEL, messages: [...prompt], max_tokens: 24 }

let network: Network
let customer: Customer
let client: OpenAI

Client.before(async () => {
  network = await startNetwork({ env: { WORKER_SAMPLE_TOKENS: String(SAMPLE_TOKENS) } })
  customer = firstCustomer(network)
  client = clientOf(customer.apiKey)
})

Client.after(async () => {
  await network?.stop()
})

Client('a plain answer has every field of the protocol', async () => {
  const before = Math.floor(Date.now() / 1000)
  const answer = await client.chat.completions.create(brief)
  assert.match(answer.id, /^chatcmpl-job_[0-9a-z]+$/)
  assert.is(answer.object, 'chat.completion')
  assert.is(answer.model, MODEL)
  assert.ok(answer.created >= before && answer.created <= Date.now() / 1000)
  assert.is(answer.choices.length, 1)
  const choice = answer.choices[0]!
  assert.is(choice.index, 0)
  assert.is(choice.message.role, 'assistant')
  assert.match(choice.message.content ?? '', /^This is the sample engine\./)
  const usage = answer.usage!
  assert.ok(usage.prompt_tokens > 0)
  assert.is(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens)
  assert.ok(answer._request_id, 'the client finds the request id')
})

Client('max_tokens ends an answer with finish_reason length, plain and streamed', async () => {
  const plain = await client.chat.completions.create({ ...brief, max_tokens: 7 })
  assert.is(plain.choices[0]!.finish_reason, 'length')
  assert.is(plain.usage!.completion_tokens, 7)

  const { max_tokens: _, ...rest } = brief
  const newer = await client.chat.completions.create({ ...rest, max_completion_tokens: 9 })
  assert.is(newer.choices[0]!.finish_reason, 'length')
  assert.is(newer.usage!.completion_tokens, 9)

  const stream = await client.chat.completions.create({ ...brief, max_tokens: 7, stream: true })
  assert.is(await lastFinishReason(stream), 'length')
})

Client('an answer that ends by itself says stop', async () => {
  const { max_tokens: _, ...open } = brief
  const answer = await client.chat.completions.create(open)
  assert.is(answer.choices[0]!.finish_reason, 'stop')
  assert.ok(answer.usage!.completion_tokens > SAMPLE_TOKENS / 2)
})

Client('a stream holds one id, one head and one end', async () => {
  const stream = await client.chat.completions.create({ ...brief, stream: true })
  const chunks: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const [first, ...later] = chunks
  assert.match(first!.id, /^chatcmpl-job_[0-9a-z]+$/)
  assert.is(first!.choices[0]!.delta.role, 'assistant')
  assert.type(first!.choices[0]!.delta.content, 'string')
  for (const chunk of chunks) {
    assert.is(chunk.id, first!.id)
    assert.is(chunk.created, first!.created)
    assert.is(chunk.model, MODEL)
    assert.is(chunk.object, 'chat.completion.chunk')
    assert.is(chunk.choices.length, 1)
    assert.is(chunk.usage, undefined, 'usage was not asked for')
  }
  for (const chunk of later) assert.is(chunk.choices[0]!.delta.role, undefined)
  for (const chunk of chunks.slice(0, -1)) assert.is(chunk.choices[0]!.finish_reason, null)
  assert.equal(chunks.at(-1)!.choices[0]!.delta, {})
  assert.is(chunks.at(-1)!.choices[0]!.finish_reason, 'length')
})

Client('stream_options.include_usage adds one chunk without choices before the end', async () => {
  const stream = await client.chat.completions.create({
    ...brief,
    stream: true,
    stream_options: { include_usage: true },
  })
  const chunks: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const last = chunks.at(-1)!
  assert.equal(last.choices, [])
  assert.is(last.id, chunks[0]!.id)
  assert.is(last.usage!.completion_tokens, brief.max_tokens)
  for (const chunk of chunks.slice(0, -1)) assert.is(chunk.usage, null)
})

Client('the stream runner of the client puts the same answer together', async () => {
  const runner = client.chat.completions.stream({
    ...brief,
    seed: 5,
    stream_options: { include_usage: true },
  })
  const whole = await runner.finalChatCompletion()
  const plain = await client.chat.completions.create({ ...brief, seed: 5 })
  assert.is(whole.choices[0]!.message.content, plain.choices[0]!.message.content)
  assert.is(whole.choices[0]!.finish_reason, 'length')
  assert.equal(whole.usage, plain.usage)
})

Client('every sampling parameter is taken, at both ends of its range', async () => {
  for (const [temperature, top_p, penalty, seed] of [
    [0, 0.01, -2, Number.MIN_SAFE_INTEGER],
    [2, 1, 2, Number.MAX_SAFE_INTEGER],
    [0.7, 0.9, 0.25, 0],
  ] as const) {
    const answer = await client.chat.completions.create({
      ...brief,
      temperature,
      top_p,
      frequency_penalty: penalty,
      presence_penalty: penalty,
      seed,
      stop: ['never said', 'nor this'],
      user: 'somebody',
    })
    assert.is(answer.choices[0]!.finish_reason, 'length')
  }
})

Client('the same seed gives the same answer, another one another', async () => {
  const say = async (seed: number) => {
    const answer = await client.chat.completions.create({ ...brief, max_tokens: 60, seed })
    return answer.choices[0]!.message.content
  }
  const [first, again, other] = await Promise.all([say(1), say(1), say(2)])
  assert.is(first, again)
  assert.is.not(first, other)
})

Client('stop cuts the answer before the sequence, plain and streamed', async () => {
  for (const stop of ['imitates', ['no such words', 'imitates'], [' no model']]) {
    const plain = await client.chat.completions.create({ ...brief, stop })
    assert.is(plain.choices[0]!.finish_reason, 'stop')
    const wanted = 'This is the sample engine. It imitates no model'.split([stop].flat().at(-1)!)[0]
    assert.is(plain.choices[0]!.message.content, wanted)

    const stream = client.chat.completions.stream({ ...brief, stop })
    assert.is(await stream.finalContent(), wanted)
  }
})

Client('content may come in parts, and developer is a system message', async () => {
  const answer = await client.chat.completions.create({
    ...brief,
    messages: [
      { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hel' },
          { type: 'text', text: 'lo' },
        ],
      },
    ],
  })
  assert.is(answer.choices[0]!.finish_reason, 'length')
})

Client('the models are listed with what the network knows of them', async () => {
  const { data, object } = await client.models.list()
  assert.is(object, 'list')
  const ids = data.map(({ id }) => id).sort()
  assert.equal(ids, [
    'Qwen/Qwen3-1.7B',
    'Qwen/Qwen3-8B',
    'meta-llama/Llama-3.2-3B-Instruct',
    'meta-llama/Llama-3.3-70B-Instruct',
  ])
  const listed = data.find(({ id }) => id === MODEL)!
  const { svc, ...standard } = listed as typeof listed & { svc: { median_latency_ms: number } }
  assert.equal(standard, { id: MODEL, object: 'model', created: 1745798400, owned_by: 'Qwen' })
  const { median_latency_ms, ...rest } = svc
  assert.ok(Number.isInteger(median_latency_ms) && median_latency_ms >= 0)
  assert.equal(rest, {
    tier: 'standard',
    credits_per_request: 8,
    credits_per_1k_tokens: 4,
    active_workers: 2,
    parameters: '8B',
    context_window: 32_768,
  })

  const retrieved = await client.models.retrieve(MODEL)
  assert.is(retrieved.id, MODEL)
  assert.equal(Object.keys(retrieved).sort(), Object.keys(listed).sort())
})

Client('headers tell of the job, plain and streamed', async () => {
  const plain = await client.chat.completions.create(brief).withResponse()
  assert.is(plain.data.id, `chatcmpl-${plain.response.headers.get('x-svc-job-id')}`)
  assert.match(plain.response.headers.get('x-svc-tx-hash') ?? '', /^0x[0-9a-f]{64}$/)
  assert.match(plain.response.headers.get('x-svc-settlement-tx') ?? '', /^0x[0-9a-f]{64}$/)
  assert.match(plain.response.headers.get('x-svc-worker') ?? '', /^0x[0-9a-f]{40}$/)
  assert.match(plain.response.headers.get('x-svc-credits-remaining') ?? '', /^\d+$/)
  assert.is(plain.request_id, plain.response.headers.get('x-request-id'))

  const streamed = await client.chat.completions.create({ ...brief, stream: true }).withResponse()
  for (const name of ['x-svc-job-id', 'x-svc-tx-hash', 'x-svc-worker', 'x-svc-credits-remaining']) {
    assert.ok(streamed.response.headers.get(name), name)
  }
  assert.is(streamed.response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.is(await lastFinishReason(streamed.data), 'length')
})

Client('refusals arrive as the errors that the client knows', async () => {
  const unknownKey = clientOf(`svc_live_${'0'.repeat(32)}`)
  const authentication = await refused(unknownKey.chat.completions.create(brief))
  assert.instance(authentication, AuthenticationError)
  same(authentication, 401, 'invalid_api_key', 'authentication_error', null)

  const noModel = await refused(client.models.retrieve('nobody/nothing'))
  assert.instance(noModel, NotFoundError)
  same(noModel, 404, 'model_not_found', 'not_found_error', null)

  const model = 'nobody/nothing'
  const unknownModel = await refused(client.chat.completions.create({ ...brief, model }))
  assert.instance(unknownModel, BadRequestError)
  same(unknownModel, 400, 'model_not_found', 'invalid_request_error', 'model')

  const hot = await refused(client.chat.completions.create({ ...brief, temperature: 3 }))
  assert.instance(hot, BadRequestError)
  same(hot, 400, 'invalid_request', 'invalid_request_error', 'temperature')

  const unserved = await refused(
    client.chat.completions.create({ ...brief, model: UNSERVED_MODEL }, { maxRetries: 0 }),
  )
  assert.instance(unserved, InternalServerError)
  same(unserved, 503, 'no_workers_available', 'capacity_error', 'model')
  assert.is(unserved.headers?.get('retry-after'), '5')

  const poor = await newCustomer(network)
  const unpaid = await refused(clientOf(poor.apiKey).chat.completions.create(brief))
  same(unpaid, 402, 'insufficient_credits', 'payment_error', null)

  const streamed = await refused(
    clientOf(poor.apiKey).chat.completions.create({ ...brief, stream: true }),
  )
  same(streamed, 402, 'insufficient_credits', 'payment_error', null)
})

Client('a stream that the client aborts is settled for what was made', async () => {
  const { max_tokens: _, ...open } = brief
  const request = client.chat.completions.create({ ...open, stream: true })
  const { data: stream, response } = await request.withResponse()
  let chunks = 0
  for await (const _chunk of stream) {
    if (++chunks === 3) stream.controller.abort()
  }
  const jobId = response.headers.get('x-svc-job-id')!
  const job = await jobBecomes(customer, jobId, ({ status }) => status === 'settled')
  assert.is(job.credits_charged, 8)
  assert.ok(job.usage!.completion_tokens >= 1)
  assert.ok(job.usage!.completion_tokens < SAMPLE_TOKENS / 2, 'the worker was stopped')
})

const clientOf = (apiKey: string): OpenAI =>
  new OpenAI({ apiKey, baseURL: customer.baseUrl, timeout: 60_000 })

async function lastFinishReason(
  stream: AsyncIterable<OpenAI.ChatCompletionChunk>,
): Promise<string | null | undefined> {
  let last: OpenAI.ChatCompletionChunk | undefined
  for await (const chunk of stream) last = chunk
  return last?.choices[0]?.finish_reason
}

Client.run()

import OpenAI from 'openai'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toCredits } from '../../src/domain/credits.ts'
import { publicHash } from '../../src/domain/hash.ts'
import { toAddress, toHex32, toJobId } from '../../src/domain/ids.ts'
import { toUnixMs } from '../../src/domain/time.ts'
import { SUBJECTS } from '../../src/messages/subjects.ts'
import { fastClock } from '../fakes/edge/fast-clock.ts'
import { openChat } from '../fakes/edge/raw-http.ts'
import {
  accept,
  call,
  chat,
  chunksOf,
  completed,
  ESCROW,
  ESCROW_TX,
  eventually,
  jsonOf,
  KEY,
  MODEL,
  openStage,
  REFUND_TX,
  SETTLEMENT_TX,
  type Stage,
  settlementSent,
  viewOf,
  WALLET,
  WORKER,
} from '../fakes/edge/stage.ts'

const Edge = suite<{ stage: Stage }>('edge')
Edge.before.each(async (context) => {
  context.stage = await openStage()
})
Edge.after.each(async ({ stage }) => stage.close())

const TEXTS = ['Hel', 'lo', ' you\n']

Edge('a plain answer, its headers, and what the job was told', async ({ stage }) => {
  stage.play = ({ jobId }) => {
    stage.say(...chunksOf(jobId, TEXTS), completed(jobId, TEXTS))
    stage.say(settlementSent(jobId))
  }
  const response = await call(stage, '/v1/chat/completions', {
    body: chat({ max_tokens: 100, temperature: 0.5 }),
  })
  assert.is(response.status, 200)
  const body = await jsonOf(response)
  const [start] = stage.commands
  assert.ok(start?.type === 'StartJob')
  if (start?.type !== 'StartJob') return
  assert.is(body.id, `chatcmpl-${start.jobId}`)
  assert.is(body.object, 'chat.completion')
  assert.is(body.model, MODEL)
  assert.equal(body.choices, [
    { index: 0, message: { role: 'assistant', content: 'Hello you\n' }, finish_reason: 'stop' },
  ])
  assert.equal(body.usage, { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 })
  assert.is(response.headers.get('x-svc-job-id'), start.jobId)
  assert.is(response.headers.get('x-svc-tx-hash'), ESCROW_TX)
  assert.is(response.headers.get('x-svc-settlement-tx'), SETTLEMENT_TX)
  assert.is(response.headers.get('x-svc-worker'), WORKER)
  assert.is(response.headers.get('x-svc-credits-remaining'), '992')
  assert.is(start.lock, 8n)
  assert.is(start.outputTokensMax, 100)
  assert.is(start.stream, false)
  assert.is(start.wallet, WALLET)
  assert.is(start.deadlineAt - start.at, 120_000)
  assert.is(start.replyTo, SUBJECTS.edgeInbox('test'))
  const reservation = stage.ledger.reservations.get(start.jobId)
  assert.equal(reservation?.prompt, {
    model: MODEL,
    messages: [{ role: 'user', content: 'Hello' }],
    sampling: { temperature: 0.5 },
  })
})

Edge('a settlement that is not sent holds the answer for a second at most', async ({ stage }) => {
  stage.play = ({ jobId }) => stage.say(...chunksOf(jobId, TEXTS), completed(jobId, TEXTS))
  const began = Date.now()
  const response = await call(stage, '/v1/chat/completions', { body: chat() })
  const tookMs = Date.now() - began
  assert.ok(tookMs >= 950 && tookMs < 2_000, `took ${tookMs} ms`)
  assert.is(response.headers.get('x-svc-settlement-tx'), null)
})

Edge('another attempt replaces what no caller has seen', async ({ stage }) => {
  stage.play = ({ jobId }) => {
    stage.say(...chunksOf(jobId, ['lost ', 'text'], 1))
    stage.say(...chunksOf(jobId, ['new'], 2))
    stage.say(...chunksOf(jobId, ['late', ' words'], 1))
    stage.say(completed(jobId, ['new'], 2), settlementSent(jobId))
  }
  const body = await jsonOf(await call(stage, '/v1/chat/completions', { body: chat() }))
  assert.is(body.choices[0].message.content, 'new')
})

Edge('a gap is mended from the stored answer', async ({ stage }) => {
  stage.play = ({ jobId }) => {
    const [first, , last] = chunksOf(jobId, TEXTS)
    stage.outputs.answers.set(jobId, TEXTS.join(''))
    stage.say(first!, last!, completed(jobId, TEXTS), settlementSent(jobId))
  }
  const body = await jsonOf(await call(stage, '/v1/chat/completions', { body: chat() }))
  assert.is(body.choices[0].message.content, TEXTS.join(''))
})

Edge('an answer that is lost for good is a 500, never half an answer', async ({ stage }) => {
  stage.play = ({ jobId }) => {
    stage.outputs.answers.set(jobId, 'something else')
    stage.say(chunksOf(jobId, TEXTS)[0]!, completed(jobId, TEXTS))
  }
  const response = await call(stage, '/v1/chat/completions', { body: chat() })
  assert.is(response.status, 500)
  assert.is((await jsonOf(response)).error.code, 'internal_error')
})

Edge('a pool may ask for the prompt while its request waits, and only then', async ({ stage }) => {
  const ask = (jobId: string) =>
    stage.bus.request(SUBJECTS.edgePrompt(SUBJECTS.edgeInbox('test')), { jobId }, 1_000)
  let prompt: unknown
  stage.play = async ({ jobId }) => {
    prompt = await ask(jobId)
    stage.say(...chunksOf(jobId, TEXTS), completed(jobId, TEXTS), settlementSent(jobId))
  }
  await call(stage, '/v1/chat/completions', { body: chat() })
  assert.is((prompt as { model: string }).model, MODEL)
  assert.is(await ask(stage.commands[0]!.jobId), null)
})

Edge('a caller that hangs up cancels its job', async ({ stage }) => {
  for (const stream of [false, true]) {
    stage.commands.length = 0
    const abort = new AbortController()
    const asked = fetch(`${stage.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(chat({ stream })),
      signal: abort.signal,
    }).catch(() => undefined)
    await eventually(() => stage.commands.length === 1, 'the job was started')
    abort.abort()
    await asked
    await eventually(() => stage.commands[1]?.type === 'CancelJob', 'the job was cancelled')
  }
})

Edge('a job nobody answers for is reported, asked for again, and then given up', async () => {
  const stage = await openStage({ clock: fastClock(20) })
  try {
    const deaf = await openStageWithoutActor(stage)
    assert.is(deaf.status, 503)
    assert.ok(deaf.headers.get('retry-after'))
    const orphans = stage.bus.published.filter(({ subject }) => subject === SUBJECTS.orphan)
    assert.ok(orphans.length >= 5)
    assert.equal(Object.keys(orphans[0]?.message ?? {}), ['partition'])
  } finally {
    await stage.close()
  }
})

/** The bus as it is when the partition of the job has no owner. */
async function openStageWithoutActor(stage: Stage): Promise<Response> {
  const request = stage.bus.request.bind(stage.bus)
  stage.bus.request = (subject, message, timeoutMs) =>
    request(subject.startsWith('cmd.') ? 'nobody' : subject, message, timeoutMs)
  return call(stage, '/v1/chat/completions', { body: chat() })
}

Edge('a start whose answer was lost is repeated', async ({ stage }) => {
  let deaf = 1
  stage.actor = (command) =>
    command.type === 'StartJob' && deaf-- > 0 ? undefined : accept(command)
  stage.play = ({ jobId }) => {
    if (deaf < 0)
      stage.say(...chunksOf(jobId, ['x']), completed(jobId, ['x']), settlementSent(jobId))
  }
  assert.is((await call(stage, '/v1/chat/completions', { body: chat() })).status, 200)
  assert.equal(new Set(stage.commands.map(({ jobId }) => jobId)).size, 1)
})

Edge('an edge that hears nothing asks the job', async () => {
  const stage = await openStage({ clock: fastClock(20) })
  try {
    stage.actor = (command) => {
      if (command.type !== 'GetJob') return accept(command)
      stage.outputs.answers.set(command.jobId, 'all of it')
      return {
        type: 'accepted',
        view: viewOf(command.jobId),
        ending: completed(command.jobId, ['all of it']),
      }
    }
    const response = await call(stage, '/v1/chat/completions', { body: chat() })
    assert.is((await jsonOf(response)).choices[0].message.content, 'all of it')
  } finally {
    await stage.close()
  }
})

Edge('a job that never ends for its caller: 504 past the deadline, 500 if unknown', async () => {
  for (const unknown of [false, true]) {
    const stage = await openStage({ clock: fastClock(100) })
    // A pool must speak each 3 s, which are 30 ms here.
    const speaking = setInterval(() => stage.summary(), 5)
    try {
      stage.actor = (command) => {
        if (command.type === 'StartJob') return accept(command)
        const view = viewOf(command.jobId, { refundTx: REFUND_TX })
        return unknown ? { type: 'unknown_job' } : { type: 'accepted', view, ending: null }
      }
      const response = await call(stage, '/v1/chat/completions', { body: chat() })
      const { error } = await jsonOf(response)
      assert.is(response.status, unknown ? 500 : 504)
      if (unknown) continue
      assert.is(error.code, 'job_timeout')
      assert.is(error.details.refund_tx, REFUND_TX)
      assert.ok(error.details.credits_refunded >= 8)
    } finally {
      clearInterval(speaking)
      await stage.close()
    }
  }
})

Edge('models: the live ones, by both forms of their id', async ({ stage }) => {
  stage.summary({ [MODEL]: { workers: 3, firstTokenMs: 300 }, 'not/ours': {} }, 'second')
  await new Promise((resolve) => setImmediate(resolve))
  const list = await jsonOf(await call(stage, '/v1/models'))
  const expected = {
    id: MODEL,
    object: 'model',
    created: 1745798400,
    owned_by: 'Qwen',
    svc: {
      tier: 'standard',
      credits_per_request: 8,
      credits_per_1k_tokens: 4,
      active_workers: 4,
      median_latency_ms: 300,
      parameters: '8B',
      context_window: 32_768,
    },
  }
  assert.equal(list, { object: 'list', data: [expected] })
  for (const path of [MODEL, encodeURIComponent(MODEL)]) {
    const response = await call(stage, `/v1/models/${path}`)
    assert.equal(await jsonOf(response), expected)
    assert.is(response.headers.get('x-svc-credits-remaining'), '1000')
  }
  for (const path of ['Qwen/Qwen3-14B', 'no/such', '']) {
    const response = await call(stage, `/v1/models/${path}`)
    const { error } = await jsonOf(response)
    assert.equal([response.status, error.code], [404, 'model_not_found'])
    assert.is(error.type, 'not_found_error')
  }
})

Edge('a pool that is silent, or draining, serves nothing', async () => {
  const stage = await openStage({ clock: fastClock(50) })
  try {
    await new Promise((resolve) => setTimeout(resolve, 100))
    const list = await jsonOf(await call(stage, '/v1/models'))
    assert.equal(list, { object: 'list', data: [] })
  } finally {
    await stage.close()
  }
})

Edge('jobs: every field, null where unknown, and only one’s own', async ({ stage }) => {
  const id = toJobId(`job_${'0'.repeat(26)}`)
  const response = await call(stage, `/v1/jobs/${id}`)
  assert.equal(await jsonOf(response), {
    id,
    object: 'job',
    status: 'pending',
    model: MODEL,
    tier: 'standard',
    credits_charged: 0,
    usdg_value: 0,
    worker_address: null,
    created_at: '2023-11-14T22:13:20.000Z',
    completed_at: null,
    on_chain: {
      escrow_tx: null,
      settlement_tx: null,
      escrow_address: ESCROW,
      block_number: null,
      proof_hash: null,
      refund_tx: null,
      dispute_tx: null,
    },
    usage: null,
  })
  const hash = toHex32(`0x${'ab'.repeat(32)}`)
  stage.actor = ({ jobId }) => ({
    type: 'accepted',
    ending: null,
    view: viewOf(jobId, {
      status: 'settled',
      charged: toCredits(8),
      worker: WORKER,
      completedAt: toUnixMs(1_700_000_001_000),
      escrowTx: ESCROW_TX,
      settlementTx: SETTLEMENT_TX,
      block: 9,
      proofHash: hash,
      usage: { promptTokens: 1, completionTokens: 2 },
    }),
  })
  const settled = await call(stage, `/v1/jobs/${id}`)
  const job = await jsonOf(settled)
  assert.is(job.usdg_value, 0.08)
  assert.is(job.on_chain.proof_hash, publicHash(hash))
  assert.equal(job.usage, { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 })
  assert.is(settled.headers.get('x-svc-settlement-tx'), SETTLEMENT_TX)
  assert.is(settled.headers.get('x-svc-worker'), WORKER)

  stage.actor = ({ jobId }) => ({
    type: 'accepted',
    ending: null,
    view: viewOf(jobId, { wallet: toAddress(`0x${'99'.repeat(20)}`) }),
  })
  const other = await jsonOf(await call(stage, `/v1/jobs/${id}`))
  stage.actor = () => ({ type: 'unknown_job' })
  const unknown = await jsonOf(await call(stage, `/v1/jobs/${id}`))
  assert.equal(other, unknown)
  for (const malformed of ['x', `job_${'0'.repeat(5_000)}`, 'job_%2F']) {
    const answer = await call(stage, `/v1/jobs/${malformed}`)
    assert.equal([answer.status, (await jsonOf(answer)).error.code], [404, 'job_not_found'])
  }
})

Edge('account', async ({ stage }) => {
  const response = await call(stage, '/v1/account')
  assert.equal(await jsonOf(response), {
    wallet: WALLET,
    credits_remaining: 1000,
    usdg_value: 10,
    last_topup_at: '2001-09-09T01:46:40.000Z',
    api_key_created_at: '2023-11-14T22:13:20.000Z',
  })
})

Edge('health needs no key; readiness needs the bus and the ledger', async ({ stage }) => {
  assert.is((await call(stage, '/healthz', { key: null })).status, 200)
  assert.is((await call(stage, '/readyz', { key: null })).status, 200)
  stage.bus.setConnected(false)
  const unready = await call(stage, '/readyz', { key: null })
  assert.is(unready.status, 503)
  assert.match((await jsonOf(unready)).error.message, /NATS/)
})

Edge(
  'requests that compete for the last credits: one wins, the others get 402',
  async ({ stage }) => {
    await stage.fund(8)
    stage.play = ({ jobId }) =>
      stage.say(...chunksOf(jobId, ['x']), completed(jobId, ['x']), settlementSent(jobId))
    const statuses = await Promise.all(
      Array.from({ length: 5 }, async () => {
        return (await call(stage, '/v1/chat/completions', { body: chat() })).status
      }),
    )
    assert.equal(statuses.sort(), [200, 402, 402, 402, 402])
  },
)

Edge('a common client: plain, stream, models, errors', async ({ stage }) => {
  stage.play = ({ jobId }) =>
    stage.say(...chunksOf(jobId, TEXTS), completed(jobId, TEXTS), settlementSent(jobId))
  const client = new OpenAI({ baseURL: `${stage.url}/v1`, apiKey: KEY, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'Hello' }]
  const answer = await client.chat.completions.create({ model: MODEL, messages })
  assert.is(answer.choices[0]?.message.content, TEXTS.join(''))

  const { data, response } = await client.chat.completions
    .create({ model: MODEL, messages, stream: true, stream_options: { include_usage: true } })
    .withResponse()
  let text = ''
  let total = 0
  for await (const chunk of data) {
    text += chunk.choices[0]?.delta.content ?? ''
    total += chunk.usage?.total_tokens ?? 0
  }
  assert.is(text, TEXTS.join(''))
  assert.is(total, 8)
  assert.ok(response.headers.get('x-svc-job-id'))

  const runner = client.chat.completions.stream({ model: MODEL, messages })
  assert.is(await runner.finalContent(), TEXTS.join(''))

  assert.is((await client.models.list()).data[0]?.id, MODEL)
  assert.is((await client.models.retrieve(MODEL)).id, MODEL)
  const refused = await client.chat.completions
    .create({ model: 'nope', messages })
    .catch((error: unknown) => error)
  assert.ok(refused instanceof OpenAI.BadRequestError)
  if (refused instanceof OpenAI.BadRequestError) {
    assert.equal([refused.code, refused.param], ['model_not_found', 'model'])
  }
})

Edge('an answer without any text', async ({ stage }) => {
  stage.play = ({ jobId }) => stage.say(completed(jobId, []), settlementSent(jobId))
  const response = await openChat(stage.url, chat({ stream: true }))
  assert.is(response.statusCode, 200)
  response.resume()
  const plain = await jsonOf(await call(stage, '/v1/chat/completions', { body: chat() }))
  assert.is(plain.choices[0].message.content, '')
})

Edge.run()

import OpenAI from 'openai'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ChatRequest } from '../../../src/domain/chat.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { openChat } from '../../fakes/edge/raw-http.ts'
import {
  call,
  chat,
  chunksOf,
  completed,
  ESCROW_TX,
  jsonOf,
  KEY,
  MODEL,
  openStage,
  SETTLEMENT_TX,
  type Stage,
  settlementSent,
  WALLET,
  WORKER,
} from '../../fakes/edge/stage.ts'

const Answers = suite<{ stage: Stage }>('edge: plain answers')
Answers.before.each(async (context) => {
  context.stage = await openStage()
})
Answers.after.each(async ({ stage }) => stage.close())

const TEXTS = ['Hel', 'lo', ' you\n']

Answers('a plain answer, its headers, and what the job was told', async ({ stage }) => {
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
  assert.equal(start.key.prompt, {
    model: MODEL,
    messages: [{ role: 'user', content: 'Hello' }],
    sampling: { temperature: 0.5 },
  })
})

Answers('a long prompt stays with the edge until a pool asks for it', async ({ stage }) => {
  const content = 'long '.repeat(4_000)
  stage.play = async ({ jobId, replyTo, key }) => {
    assert.is(key.prompt, undefined)
    const asked = await stage.bus.request<ChatRequest>(
      SUBJECTS.edgePrompt(replyTo),
      { jobId },
      1_000,
    )
    assert.is(asked.messages[0]?.content, content)
    stage.say(...chunksOf(jobId, TEXTS), completed(jobId, TEXTS), settlementSent(jobId))
  }
  const messages = [{ role: 'user', content }]
  const response = await call(stage, '/v1/chat/completions', { body: chat({ messages }) })
  assert.is(response.status, 200)
})

Answers(
  'a settlement that is not sent holds the answer for a second at most',
  async ({ stage }) => {
    stage.play = ({ jobId }) => stage.say(...chunksOf(jobId, TEXTS), completed(jobId, TEXTS))
    const began = Date.now()
    const response = await call(stage, '/v1/chat/completions', { body: chat() })
    const tookMs = Date.now() - began
    // How much longer a busy machine takes is nobody's fault; a block would never come.
    assert.ok(tookMs >= 950, `took ${tookMs} ms`)
    assert.is(response.headers.get('x-svc-settlement-tx'), null)
  },
)

Answers('another attempt replaces what no caller has seen', async ({ stage }) => {
  stage.play = ({ jobId }) => {
    stage.say(...chunksOf(jobId, ['lost ', 'text'], 1))
    stage.say(...chunksOf(jobId, ['new'], 2))
    stage.say(...chunksOf(jobId, ['late', ' words'], 1))
    stage.say(completed(jobId, ['new'], 2), settlementSent(jobId))
  }
  const body = await jsonOf(await call(stage, '/v1/chat/completions', { body: chat() }))
  assert.is(body.choices[0].message.content, 'new')
})

Answers('a gap is mended from the stored answer', async ({ stage }) => {
  stage.play = ({ jobId }) => {
    const [first, , last] = chunksOf(jobId, TEXTS)
    stage.outputs.answers.set(jobId, TEXTS.join(''))
    stage.say(first!, last!, completed(jobId, TEXTS), settlementSent(jobId))
  }
  const body = await jsonOf(await call(stage, '/v1/chat/completions', { body: chat() }))
  assert.is(body.choices[0].message.content, TEXTS.join(''))
})

Answers(
  'an answer that is lost for good is told so with its charge, and is never half an answer',
  async ({ stage }) => {
    stage.play = ({ jobId }) => {
      stage.outputs.answers.set(jobId, 'something else')
      stage.say(chunksOf(jobId, TEXTS)[0]!, completed(jobId, TEXTS))
    }
    const response = await call(stage, '/v1/chat/completions', { body: chat() })
    assert.is(response.status, 410)
    const { error } = await jsonOf(response)
    assert.is(error.code, 'answer_gone')
    assert.ok(error.details.credits_charged > 0)
    assert.match(error.message, /is charged, but the text of its answer is lost/)
  },
)

Answers('an answer without any text', async ({ stage }) => {
  stage.play = ({ jobId }) => stage.say(completed(jobId, []), settlementSent(jobId))
  const response = await openChat(stage.url, chat({ stream: true }))
  assert.is(response.statusCode, 200)
  response.resume()
  const plain = await jsonOf(await call(stage, '/v1/chat/completions', { body: chat() }))
  assert.is(plain.choices[0].message.content, '')
})

Answers(
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

Answers('a common client: plain, stream, models, errors', async ({ stage }) => {
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

Answers.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toCredits } from '../../../src/domain/credits.ts'
import { ERRORS, type ErrorCode } from '../../../src/domain/errors.ts'
import { apiKeyHash, outputHash, publicHash } from '../../../src/domain/hash.ts'
import { toJobId } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { OpenApi } from '../../../src/edge/openapi/shape.ts'
import { DocumentedAnswers } from '../../fakes/edge/documented-answers.ts'
import { readEvents } from '../../fakes/edge/event-reader.ts'
import {
  call,
  chat,
  chunksOf,
  completed,
  ESCROW_TX,
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
} from '../../fakes/edge/stage.ts'
import { topupFact } from '../../fakes/webhooks/facts.ts'
import { makeWebhookHouse } from '../../fakes/webhooks/webhook-house.ts'
import { openApiFaults, operationsOf } from '../../unit/edge/openapi-rules.ts'
import { until } from '../../until.ts'

/** The document that an edge serves, and whether its answers are what the document says. */
const OpenApiDocument = suite('edge: openapi')

let stage: Stage
let documented: DocumentedAnswers
/** A pool that says nothing for three seconds is gone. */
let speaking: NodeJS.Timeout

OpenApiDocument.before(async () => {
  stage = await openStage()
  speaking = setInterval(() => stage.summary(), 500)
  const response = await call(stage, '/v1/openapi.json', { key: null })
  const document = (await response.json()) as OpenApi
  documented = new DocumentedAnswers(document)
})
OpenApiDocument.after(async () => {
  clearInterval(speaking)
  await stage.close()
})
OpenApiDocument.before.each(async () => {
  await stage.fund(1_000)
  stage.play = ({ jobId }) => {
    stage.say(...chunksOf(jobId, TEXTS), completed(jobId, TEXTS), settlementSent(jobId))
  }
})

const TEXTS = ['Hel', 'lo']
const CHAT = '/v1/chat/completions'
const JOB = toJobId(`job_${'0'.repeat(26)}`)

OpenApiDocument('it keeps the rules, and speaks of the host that serves it', async () => {
  const { document } = documented
  assert.equal(openApiFaults(document), [])
  assert.equal(document.servers, [{ url: `${stage.url}/v1` }])
  assert.equal(document.paths['/healthz']?.servers, [{ url: stage.url }])
  const elsewhere = await call(stage, '/v1/openapi.json', {
    headers: { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' },
  })
  assert.not.match(await elsewhere.text(), 'evil.test')
})

OpenApiDocument('every path takes the methods that it says', async () => {
  for (const [path, item] of Object.entries(documented.document.paths)) {
    const url = `${item.servers ? '' : '/v1'}${path.replace(/\{\w+\}/g, 'x')}`
    const response = await call(stage, url, { method: 'PATCH' })
    const allowed = response.headers.get('allow')?.split(', ') ?? []
    const told = operationsOf(documented.document)
      .filter((each) => each.path === path)
      .map(({ method }) => method.toUpperCase())
    assert.equal(
      allowed.filter((method) => method !== 'HEAD'),
      told,
      path,
    )
  }
})

OpenApiDocument('answers of success are as documented', async () => {
  const check = async (at: string, path: string, body?: unknown) =>
    documented.check(at, await call(stage, path, body === undefined ? {} : { body }))
  await check('POST /chat/completions', CHAT, chat())
  const stream = chat({ stream: true, stream_options: { include_usage: true } })
  await check('POST /chat/completions', CHAT, stream)
  await check('GET /models', '/v1/models')
  await check('GET /models/{model_id}', `/v1/models/${MODEL}`)
  await check('GET /account', '/v1/account')
  await check('GET /openapi.json', '/v1/openapi.json')
  await check('GET /healthz', '/healthz')
  await check('GET /readyz', '/readyz')
  await check('GET /jobs', '/v1/jobs?limit=2')
  await check('GET /jobs/{job_id}', `/v1/jobs/${JOB}`)
  stage.actor = ({ jobId }) => ({ type: 'accepted', view: settled(jobId), ending: null })
  await check('GET /jobs/{job_id}', `/v1/jobs/${JOB}`)
  const received_output_hash = publicHash(outputHash('Hello'))
  await check('POST /jobs/{job_id}/dispute', `/v1/jobs/${JOB}/dispute`, { received_output_hash })
})

const settled = (id: typeof JOB) =>
  viewOf(id, {
    status: 'settled',
    charged: toCredits(8),
    worker: WORKER,
    completedAt: toUnixMs(1_700_000_001_000),
    escrowTx: ESCROW_TX,
    settlementTx: SETTLEMENT_TX,
    block: 9,
    proofHash: outputHash('Hello'),
    usage: { promptTokens: 1, completionTokens: 2 },
  })

OpenApiDocument('refusals before a job are as documented', async () => {
  const check = async (path: string, options: Parameters<typeof call>[2]) => {
    const at = options?.body === undefined ? `GET ${path}` : `POST ${path}`
    return documented.check(
      at
        .replace('/v1', '')
        .replace(/\/models\/.*/, '/models/{model_id}')
        .replace(JOB, '{job_id}'),
      await call(stage, path, options ?? {}),
    )
  }
  await check(CHAT, { body: {} })
  await check(CHAT, { body: '{' })
  await check(CHAT, { body: chat({ model: 'no/such' }) })
  await check(CHAT, { body: chat({ max_tokens: 32_768 }) })
  await check(CHAT, { body: chat({ model: 'Qwen/Qwen3-14B' }) })
  await check(CHAT, { body: chat({ padding: 'x'.repeat(5 * 1024 * 1024) }) })
  await check(CHAT, { body: chat(), key: null })
  await check('/v1/account', { key: `svc_live_${'z'.repeat(32)}` })
  await check('/v1/models/no/such', {})
  await check('/v1/models', { headers: { 'x-padding': 'x'.repeat(20_000) } })
  const suspended = `svc_live_${'s'.repeat(32)}`
  await stage.keys.set(apiKeyHash(suspended), { wallet: WALLET, createdAt: 1, status: 'suspended' })
  await check('/v1/account', { key: suspended })
  stage.actor = () => ({ type: 'unknown_job' })
  await check(`/v1/jobs/${JOB}`, {})
  await check(`/v1/jobs/${JOB}/dispute`, { body: { received_output_hash: 'x' } })
  await stage.fund(1)
  await check(CHAT, { body: chat() })
  stage.bus.setConnected(false)
  await check('/readyz', {})
  stage.bus.setConnected(true)
})

OpenApiDocument('refusals of a job are as documented', async () => {
  stage.actor = ({ jobId }) => ({ type: 'accepted', view: viewOf(jobId), ending: null })
  const details = {
    job_timeout: { job_id: JOB, credits_refunded: 8, refund_tx: REFUND_TX },
    no_workers_available: { model: MODEL, retry_after: 5 },
    insufficient_credits: { credits_required: 8, tier: 'standard' },
    context_length_exceeded: undefined,
    internal_error: undefined,
  }
  for (const [code, more] of Object.entries(details)) {
    for (const stream of [false, true]) {
      stage.play = ({ jobId }) =>
        stage.say({
          type: 'failed',
          jobId,
          escrowTx: ESCROW_TX,
          refusal: {
            code: code as ErrorCode,
            message: 'It failed.',
            ...(more ? { details: more } : {}),
          },
        })
      const response = await call(stage, CHAT, { body: chat({ stream, max_tokens: 5 }) })
      assert.is(response.status, ERRORS[code as ErrorCode].status)
      await documented.check('POST /chat/completions', response)
    }
  }
})

OpenApiDocument('answers about webhooks are as documented', async () => {
  const webhooks = makeWebhookHouse({ bus: stage.bus })
  await webhooks.start()
  const post = async (more: object = {}) => {
    const body = { url: 'https://example.com/', events: ['job.failed'], secret: 'x'.repeat(32) }
    const response = await call(stage, '/v1/webhooks', { body: { ...body, ...more } })
    return JSON.parse(await documented.check('POST /webhooks', response))
  }
  const remove = async (id: string) => {
    const response = await call(stage, `/v1/webhooks/${id}`, { method: 'DELETE' })
    await documented.check('DELETE /webhooks/{webhook_id}', response)
  }
  const { id } = await post()
  await post({ url: 'https://localhost/' })
  await post({ events: [] })
  for (let i = 0; i < 20; i++) await post()
  await documented.check('GET /webhooks', await call(stage, '/v1/webhooks'))
  await remove(id)
  await remove(id)
  await webhooks.stop()
  await post()
  await remove(id)
})

OpenApiDocument('events are as documented', async () => {
  stage.facts.store(topupFact(WALLET, toUnixMs(1_700_000_000_000), 1))
  const lastId = { 'last-event-id': '0' }
  const reader = await readEvents(`${stage.url}/v1/events`, KEY, lastId)
  await until('an event', () => reader.events.length > 0)
  const said = reader.events.map(({ data }) => `data: ${data}\n\n`).join('')
  await documented.check('GET /events', reader.response, said)
  reader.close()
  await documented.check('GET /events', await call(stage, '/v1/events?events=x'))
})

OpenApiDocument('of what may be answered, most was', () => {
  const told = operationsOf(documented.document).map(({ operation }) => operation.operationId)
  const wasGood = (id: string) =>
    [200, 201].some((status) => documented.seen.has(`${id} ${status}`))
  for (const id of told) assert.ok(wasGood(id), `${id} was never asked`)
  const codes = new Set([...documented.seen].map((each) => each.split(' ')[2]))
  const elsewhere = [
    ...['route_not_found', 'method_not_allowed', 'request_timeout', 'rate_limited'],
    ...['job_not_completed', 'dispute_already_open', 'dispute_window_expired', 'answer_gone'],
  ]
  const unseen = Object.keys(ERRORS).filter((code) => !codes.has(code))
  assert.equal(unseen.sort(), elsewhere.sort())
  assert.ok(documented.seen.size > 20)
})

OpenApiDocument.run()

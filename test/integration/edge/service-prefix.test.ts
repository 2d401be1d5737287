import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig } from '../../../src/config/read.ts'
import { edgeSchema } from '../../../src/config/schema.ts'
import { apiKeyHash } from '../../../src/domain/hash.ts'
import { serviceNames } from '../../../src/domain/service-names.ts'
import { PAGES } from '../../../src/edge/docs/pages.ts'
import { keyRecord } from '../../../src/messages/key-record.ts'
import { DocumentedAnswers } from '../../fakes/edge/documented-answers.ts'
import { eventsOf, openChat, readAll } from '../../fakes/edge/raw-http.ts'
import {
  call,
  chat,
  chunksOf,
  completed,
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

/** An edge of an operator who brands the service. Their own addresses may hold the default. */
const Prefix = suite<{ stage: Stage }>('edge: SERVICE_PREFIX=acme')
const { SERVICE_PREFIX } = readConfig(edgeSchema, { SERVICE_PREFIX: 'acme' })
const APP = 'https://app.example.com'
const DOCS_URL = 'http://docs.svc.test'
const key = `acme_live_${'b'.repeat(32)}`
const TEXTS = ['Hel', 'lo']

Prefix.before.each(async (context) => {
  const names = serviceNames(SERVICE_PREFIX)
  const stage = await openStage({ names, docsUrl: DOCS_URL, corsOrigins: [APP] })
  await stage.keys.set(apiKeyHash(key), keyRecord(key, { wallet: WALLET, createdAt: 1 }))
  stage.play = ({ jobId }) =>
    stage.say(...chunksOf(jobId, TEXTS), completed(jobId, TEXTS), settlementSent(jobId))
  context.stage = stage
})
Prefix.after.each(async ({ stage }) => stage.close())

const hasDefault = (names: Iterable<string>) => [...names].some((name) => /svc/i.test(name))

Prefix('a plain answer has its headers, and a page of another origin may read them', async (t) => {
  const { stage } = t
  const headers = { origin: APP }
  const answer = await call(stage, '/v1/chat/completions', { key, headers, body: chat() })
  assert.is(answer.status, 200)
  const jobId = answer.headers.get('x-acme-job-id')
  assert.match(jobId!, /^job_/)
  assert.is(answer.headers.get('x-acme-worker'), WORKER)
  assert.is(answer.headers.get('x-acme-settlement-tx'), SETTLEMENT_TX)
  assert.is(answer.headers.get('x-acme-credits-remaining'), '992')
  assert.match(answer.headers.get('access-control-expose-headers')!, /x-acme-job-id, x-acme-tx/)
  assert.not.ok(hasDefault([...answer.headers].flat()))
  for (const [path, name] of [
    ['/v1/account', 'x-acme-credits-remaining'],
    ['/v1/nothing', 'x-acme-credits-remaining'],
    [`/v1/jobs/${jobId}`, 'x-acme-job-id'],
  ] as const) {
    assert.ok((await call(stage, path, { key })).headers.has(name), path)
  }
})

Prefix('a stream has its headers, its trailer, and the object in its last chunk', async (t) => {
  const headers = { authorization: `Bearer ${key}` }
  const response = await openChat(t.stage.url, chat({ stream: true }), headers)
  const events = eventsOf(await readAll(response))
  assert.is(response.headers.trailer, 'x-acme-settlement-tx')
  assert.is(response.trailers['x-acme-settlement-tx'], SETTLEMENT_TX)
  const { acme, ...chunk } = events.at(-2)
  assert.is(acme.job_id, response.headers['x-acme-job-id'])
  assert.is(acme.credits_charged, 8)
  assert.not.ok(hasDefault([...Object.keys(response.headers), ...Object.keys(chunk)]))
})

Prefix('models have the object', async ({ stage }) => {
  const { data } = await jsonOf(await call(stage, '/v1/models', { key }))
  assert.equal(Object.keys(data[0]), ['id', 'object', 'created', 'owned_by', 'acme'])
  assert.is(data[0].acme.active_workers, 1)
  assert.equal(await jsonOf(await call(stage, `/v1/models/${MODEL}`, { key })), data[0])
})

Prefix('a key of another prefix is refused, and told what keys look like', async ({ stage }) => {
  const refused = await call(stage, '/v1/models', { key: KEY })
  const { error } = await jsonOf(refused)
  assert.equal([refused.status, error.code], [401, 'invalid_api_key'])
  assert.match(error.message, '`acme_live_` and 32 letters and digits')
  assert.not.match(error.message, 'svc')
  const { error: missing } = await jsonOf(await call(stage, '/v1/models', { key: null }))
  assert.match(missing.message, 'Bearer acme_live_…')
})

Prefix('every page and the document name it, and leave addresses alone', async ({ stage }) => {
  const texts = new Map<string, string>()
  for (const path of [
    '/v1/openapi.json',
    ...PAGES.map(({ name }) => `/docs/api-reference/${name}`),
  ]) {
    texts.set(path, await (await call(stage, path, { key: null })).text())
  }
  for (const [path, text] of texts) {
    assert.not.match(text.replaceAll(DOCS_URL, '').replace(/SVC_[A-Z_]+/g, ''), /svc/i, path)
  }
  const page = (name: string) => texts.get(`/docs/api-reference/${name}`)!
  assert.match(page('authentication'), 'Bearer acme_live_')
  assert.match(page('webhooks-receiving'), 'Acme-Signature')
  assert.match(page('chat-completions'), 'x-acme-trace-id')
  assert.match(page('errors'), 'acme.context_window')
  assert.match(texts.get('/v1/openapi.json')!, `Guides: ${DOCS_URL}`)
})

Prefix('answers are as the document says', async ({ stage }) => {
  const document = await jsonOf(await call(stage, '/v1/openapi.json', { key: null }))
  assert.ok(document.components.headers['x-acme-job-id'])
  const documented = new DocumentedAnswers(document)
  const streamed = { key, body: chat({ stream: true }) }
  const completions = '/v1/chat/completions'
  await documented.check('GET /models', await call(stage, '/v1/models', { key }))
  await documented.check('POST /chat/completions', await call(stage, completions, streamed))
})

Prefix.run()

import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError, readConfig } from '../../../src/config/read.ts'
import { edgeSchema } from '../../../src/config/schema.ts'
import { call, chat, chunksOf, completed, openStage, type Stage } from '../../fakes/edge/stage.ts'

/** Pages of other origins: only those that the operator names, never by a wildcard or with cookies. */
const CrossOrigin = suite<{ stage: Stage }>('edge: cross-origin')

const APP = 'https://app.example.com'
const STRANGERS = ['https://evil.example.com', `${APP}.evil.example`, `${APP}:8443`, 'null']
const CHAT = '/v1/chat/completions'

CrossOrigin.before.each(async (context) => {
  context.stage = await openStage({ corsOrigins: [APP] })
})
CrossOrigin.after.each(async ({ stage }) => stage.close())

const preflight = (stage: Stage, path: string, origin: string) =>
  call(stage, path, {
    method: 'OPTIONS',
    key: null,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
    },
  })
const allowedTo = ({ headers }: Response) => headers.get('access-control-allow-origin')

CrossOrigin('a page of the app may ask, with a key and the headers of its client', async (t) => {
  const answer = await preflight(t.stage, CHAT, APP)
  assert.is(answer.status, 204)
  assert.is(allowedTo(answer), APP)
  assert.match(answer.headers.get('access-control-allow-methods') ?? '', /\bPOST\b/)
  assert.is(
    answer.headers.get('access-control-allow-headers'),
    'authorization,content-type,x-stainless-lang',
  )
  assert.is(answer.headers.get('access-control-allow-credentials'), null)
  assert.match(answer.headers.get('vary') ?? '', /origin/)
})

CrossOrigin('a page of the app reads answers, streams and refusals, and our headers', async (t) => {
  const { stage } = t
  stage.play = ({ jobId }) => stage.say(...chunksOf(jobId, ['Hi']), completed(jobId, ['Hi']))
  const headers = { origin: APP }
  const answers = [
    await call(stage, '/v1/models', { headers }),
    await call(stage, CHAT, { headers, body: chat() }),
    await call(stage, CHAT, { headers, body: chat({ stream: true }) }),
    await call(stage, '/v1/models', { headers, key: null }),
    await call(stage, '/v1/nothing', { headers }),
    await call(stage, '/v1/models/%zz', { headers }),
  ]
  assert.equal(
    answers.map(({ status }) => status),
    [200, 200, 200, 401, 404, 400],
  )
  for (const answer of answers) {
    assert.is(allowedTo(answer), APP)
    const exposed = answer.headers.get('access-control-expose-headers') ?? ''
    assert.match(exposed, 'x-svc-job-id')
    assert.match(exposed, 'x-svc-credits-remaining')
    assert.match(exposed, 'x-should-retry')
    await answer.text()
  }
})

CrossOrigin('a page of anybody else is told nothing', async ({ stage }) => {
  for (const origin of STRANGERS) {
    const asked = await preflight(stage, CHAT, origin)
    assert.equal([asked.status, allowedTo(asked)], [405, null], origin)
    const read = await call(stage, '/v1/models', { headers: { origin } })
    assert.equal([read.status, allowedTo(read)], [200, null], origin)
    // A cache must not give one origin what was said to another.
    assert.match(read.headers.get('vary') ?? '', /origin/)
  }
})

CrossOrigin('outside of the API nobody is', async ({ stage }) => {
  assert.is(allowedTo(await call(stage, '/healthz', { headers: { origin: APP } })), null)
})

CrossOrigin('where no origin is named, answers are as ever', async () => {
  const stage = await openStage()
  try {
    const asked = await preflight(stage, CHAT, APP)
    assert.equal([asked.status, allowedTo(asked)], [405, null])
    const read = await call(stage, '/v1/models', { headers: { origin: APP } })
    assert.equal([allowedTo(read), read.headers.get('vary')], [null, null])
  } finally {
    await stage.close()
  }
})

CrossOrigin('the setting takes exact origins alone', () => {
  const read = (EDGE_CORS_ORIGINS: string) =>
    readConfig(edgeSchema, { EDGE_CORS_ORIGINS }).EDGE_CORS_ORIGINS
  assert.equal(read(''), [])
  assert.equal(read(`${APP}, http://127.0.0.1:8081`), [APP, 'http://127.0.0.1:8081'])
  for (const wrong of ['*', `${APP}/`, `${APP}/path`, 'app.example.com', 'null', 'file:///a']) {
    assert.throws(
      () => read(wrong),
      (error: Error) =>
        error instanceof ConfigError && /EDGE_CORS_ORIGINS: must be origins/.test(error.message),
      wrong,
    )
  }
})

CrossOrigin.run()

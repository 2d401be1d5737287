import Fastify from 'fastify'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { errorHandler, refuse } from '../../../src/api/http/errors.ts'
import { countAnswers } from '../../../src/api/http/http-metrics.ts'
import { addJsonBody } from '../../../src/api/http/json-body.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { makeMetrics } from '../../../src/telemetry/metrics.ts'
import { refuseWeb, webErrorHandler } from '../../../src/web/http/errors.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

const Http = suite('telemetry: answers and refusals')

function counted(handler: typeof errorHandler | typeof webErrorHandler) {
  const [server, metrics] = [Fastify(), makeMetrics()]
  server.setErrorHandler(handler('http://docs.test', makeLog('test', 'silent'), new ManualClock()))
  addJsonBody(server)
  countAnswers(server, metrics)
  return { server, metrics }
}

Http('a load balancer that asks again and again is no caller who is refused', async () => {
  const { server, metrics } = counted(errorHandler)
  const paths = ['/readyz', '/healthz', '/v1/models']
  for (const path of paths) {
    server.get(path, async () => {
      throw refuse('service_unavailable', 'Not ready: NATS not available.')
    })
  }
  for (const path of [...paths, '/readyz?x=1']) await server.inject(path)
  const text = await metrics.text()
  assert.match(text, /^svc_http_refusals_total\{code="service_unavailable"\} 1$/m)
  assert.match(text, /svc_http_answers_total\{route="\/readyz",method="GET",status="\d+"\} 2$/m)
  await server.close()
})

for (const [site, handler] of [
  ['the API', errorHandler],
  ['the web app', webErrorHandler],
] as const) {
  Http(`${site}: only a fault of ours is unexpected, and no mistake of a caller's`, async () => {
    const { server, metrics } = counted(handler)
    const schema = { body: { type: 'object', required: ['model'] } }
    server.post('/ask', { schema, bodyLimit: 64 }, async ({ body }) => {
      const { model } = body as { model: string }
      if (model === 'none') throw refuse('model_not_found', 'There is none.')
      throw new Error('a fault')
    })
    const url = await server.listen({ host: '127.0.0.1', port: 0 })
    for (const body of ['{', '{}', ' '.repeat(65), '{"model":"none"}', '{"model":"any"}']) {
      const headers = { 'content-type': 'application/json' }
      await (await fetch(`${url}/ask`, { method: 'POST', headers, body })).text()
    }
    const text = await metrics.text()
    const told = [...text.matchAll(/^svc_http_refusals_total\{code="(\w+)"\} (\d+)$/gm)]
    assert.equal(
      told.map(([, code, count]) => [code, count]),
      [
        ['invalid_request', '2'],
        ['request_too_large', '1'],
        ['model_not_found', '1'],
        ['unexpected', '1'],
      ],
    )
    await server.close()
  })
}

Http('who is not signed in at the web app is refused as that', async () => {
  const { server, metrics } = counted(webErrorHandler)
  server.get('/api/session', async () => {
    throw refuseWeb('session_required', 'Sign in first.')
  })
  await server.inject('/api/session')
  assert.match(await metrics.text(), /^svc_http_refusals_total\{code="session_required"\} 1$/m)
  await server.close()
})

Http.run()

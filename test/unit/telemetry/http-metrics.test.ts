import Fastify from 'fastify'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { refuse } from '../../../src/api/http/errors.ts'
import { countAnswers } from '../../../src/api/http/http-metrics.ts'
import { makeMetrics } from '../../../src/telemetry/metrics.ts'

const Http = suite('telemetry: answers and refusals')

Http('a load balancer that asks again and again is no caller who is refused', async () => {
  const metrics = makeMetrics()
  const server = Fastify()
  countAnswers(server, metrics)
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

Http.run()

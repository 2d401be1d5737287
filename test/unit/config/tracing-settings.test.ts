import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { printedConfig } from '../../../src/config/print.ts'
import { ConfigError, readConfig } from '../../../src/config/read.ts'
import { edgeSchema, poolSchema } from '../../../src/config/schema.ts'
import { tracesOf } from '../../../src/config/tracing-settings.ts'

const Tracing = suite('config: traces')

const edge = (env: Record<string, string>) => tracesOf(readConfig(edgeSchema, env))
const refused = (env: Record<string, string>, message: RegExp) =>
  assert.throws(
    () => edge(env),
    (error: unknown) => error instanceof ConfigError && message.test(error.message),
    JSON.stringify(env),
  )

Tracing('nothing is traced unless a collector is named', () => {
  assert.is(edge({}).endpoint, undefined)
  assert.is(edge({ OTEL_EXPORTER_OTLP_ENDPOINT: '' }).endpoint, undefined)
  assert.is(edge({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }).endpoint, 'http://c:4318')
  refused({ OTEL_EXPORTER_OTLP_ENDPOINT: 'c:4318' }, /OTLP_ENDPOINT: must be an http or https/)
})

Tracing('the edge samples as it is told; the others are told by the edge', () => {
  assert.equal(edge({}).sampler, { name: 'parentbased_traceidratio', ratio: 1 })
  const given = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.01' }
  assert.equal(edge(given).sampler, { name: 'traceidratio', ratio: 0.01 })
  assert.is(tracesOf(readConfig(poolSchema, given)).sampler, undefined)
  refused({ OTEL_TRACES_SAMPLER: 'sometimes' }, /OTEL_TRACES_SAMPLER: /)
  refused({ OTEL_TRACES_SAMPLER_ARG: '2' }, /OTEL_TRACES_SAMPLER_ARG: /)
})

Tracing('headers are pairs, percent-encoded, and are not shown', () => {
  const text = 'authorization=Bearer%20zz11, X-Scope = a=b ,'
  assert.equal(edge({ OTEL_EXPORTER_OTLP_HEADERS: text }).headers, {
    authorization: 'Bearer zz11',
    'x-scope': 'a=b',
  })
  assert.equal(edge({}).headers, {})
  for (const wrong of ['x', 'x=', '=y', 'x=%zz', 'a b=c']) {
    refused({ OTEL_EXPORTER_OTLP_HEADERS: wrong }, /OTLP_HEADERS: must be name=value/)
  }
  const printed = printedConfig('edge', edgeSchema, { OTEL_EXPORTER_OTLP_HEADERS: text })
  assert.match(printed, /^OTEL_EXPORTER_OTLP_HEADERS=\(set\)$/m)
  assert.not(printed.includes('zz11'))
})

Tracing.run()

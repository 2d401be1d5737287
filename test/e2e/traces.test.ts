import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type Subscription } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { natsAddress } from '../../src/bus/connection/address.ts'
import { type CollectedSpan, type Collector, startCollector } from '../fakes/collector.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { type Answer, firstCustomer, jobSettles, send } from './customer.ts'
import { streamed } from './streamed.ts'

/** One request over every role, as a collector of traces sees it. */
const Traces = suite('traces')
const PATIENCE_MS = 30_000
const MODEL = 'Qwen/Qwen3-8B'
const PROMPT = 'Say cucumber sandwich.'

let network: Network
let collector: Collector

Traces.before(async () => {
  collector = await startCollector()
  network = await startNetwork({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      // Of those that name no trace none is recorded.
      OTEL_TRACES_SAMPLER_ARG: '0',
    },
  })
})
Traces.after(async () => {
  await network?.stop()
  await collector?.close()
})

const newTrace = () => ({
  traceId: randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
})

const ask = (
  stream: boolean,
  headers: Record<string, string> = {},
  model = MODEL,
): Promise<Answer> =>
  send(firstCustomer(network), '/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: { model, messages: [{ role: 'user', content: PROMPT }], stream },
  })

/** The one span of this name in a trace. */
async function spanOf(traceId: string, name: string): Promise<CollectedSpan> {
  const found = await until(
    () => `a span "${name}", not only ${namesOf(traceId)}`,
    async () => collector.spans.find((span) => span.traceId === traceId && span.name === name),
    PATIENCE_MS,
  )
  return found
}

const namesOf = (traceId: string) =>
  collector.spans.filter((span) => span.traceId === traceId).map(({ name }) => name)

/** The transaction of this kind that carried the job. */
const transactionOf = (name: string, { traceId, spanId }: CollectedSpan) =>
  until(
    `a span "${name}" with a link to the job`,
    async () =>
      collector.spans.find(
        (span) =>
          span.name === name &&
          span.links.some((link) => link.traceId === traceId && link.spanId === spanId),
      ),
    PATIENCE_MS,
  )

for (const kind of ['plain', 'streamed'] as const) {
  Traces(`a ${kind} request is followed over every role, in its caller's trace`, async () => {
    const { traceId, spanId } = newTrace()
    const answer = await ask(kind === 'streamed', { traceparent: `00-${traceId}-${spanId}-01` })
    assert.is(answer.status, 200)
    assert.is(answer.headers['x-svc-trace-id'], traceId)
    const jobId = String(answer.headers['x-svc-job-id'])
    const settled = await jobSettles(firstCustomer(network), jobId)

    const [request, admit, first, whole, job, attempt, work] = await Promise.all(
      [
        ...['POST /v1/chat/completions', 'admit', 'first text', 'whole answer'],
        ...['job', 'pool attempt', 'worker job'],
      ].map((name) => spanOf(traceId, name)),
    )
    assert.ok(request && admit && first && whole && job && attempt && work)
    const services = [request, admit, first, whole, job, attempt, work].map((each) => each.service)
    assert.equal(services, [
      ...['svc-edge', 'svc-edge', 'svc-edge', 'svc-edge'],
      ...['svc-actors', 'svc-pool', 'svc-worker'],
    ])
    assert.is(request.parentSpanId, spanId)
    for (const part of [admit, first, whole, job]) assert.is(part.parentSpanId, request.spanId)
    assert.is(attempt.parentSpanId, job.spanId)
    assert.is(work.parentSpanId, attempt.spanId)
    assert.is(namesOf(traceId).length, 7, namesOf(traceId).join(', '))

    for (const span of [request, job, attempt, work]) {
      assert.is(span.attributes['svc.job_id'], jobId)
      assert.is(span.failed, false)
      assert.ok(span.endMs >= span.startMs)
    }
    assert.is(request.attributes['http.response.status_code'], 200)
    assert.equal(job.events, ['locked', 'offered', 'assigned', 'completed', 'settled'])
    assert.is(job.attributes['svc.status'], 'settled')
    assert.is(job.attributes['svc.credits_charged'], settled.credits_charged)
    assert.equal(attempt.events, ['offered', 'assigned', 'first text'])
    assert.is(attempt.attributes['svc.end'], 'completed')
    assert.equal(work.events, ['first text'])
    assert.is(work.attributes['svc.tokens'], job.attributes['svc.tokens'])

    const lock = await transactionOf('chain lock', job)
    const settle = await transactionOf('chain settle', job)
    assert.is(lock.attributes['svc.tx'], settled.on_chain.escrow_tx)
    assert.is(settle.attributes['svc.tx'], settled.on_chain.settlement_tx)
    for (const transaction of [lock, settle]) {
      assert.is(transaction.service, 'svc-actors')
      assert.is(transaction.parentSpanId, '')
      assert.is.not(transaction.traceId, traceId)
      assert.ok(Number(transaction.attributes['svc.gas']) > 21_000)
      assert.ok(Number(transaction.attributes['svc.block']) > 0)
    }

    const line = await until(
      'the one line of the job, with its trace',
      async () => jobLine(jobId),
      PATIENCE_MS,
    )
    assert.is(line.trace_id, traceId)

    const text = kind === 'streamed' ? streamed(answer).text : JSON.parse(answer.text)
    const said = kind === 'streamed' ? text : text.choices[0].message.content
    assert.ok(said.length > 20)
    const sent = collector.bodies.join('\n')
    const { apiKey, wallet } = firstCustomer(network)
    for (const secret of [PROMPT, 'cucumber', said, said.slice(0, 20), apiKey, wallet]) {
      assert.not(sent.includes(secret), `the collector was told "${secret}"`)
    }
  })
}

/** Of the log of the actors. */
function jobLine(jobId: string): { trace_id?: string } | undefined {
  const log = readFileSync(join(network.dataDir, 'logs', 'actors-1.log'), 'utf8')
  const line = log.split('\n').find((each) => each.includes(jobId) && each.includes('"msg":"job"'))
  return line === undefined ? undefined : JSON.parse(line)
}

Traces(
  'of a request that is not traced nothing is on the bus, nor with the collector',
  async () => {
    const nats = await connect(natsAddress(network.nats_url))
    try {
      const heard: { subject: string; traceparent: string | undefined }[] = []
      const subscriptions: Subscription[] = ['cmd.>', 'pool.>', 'lane.>', 'edge.>'].map((subject) =>
        nats.subscribe(subject, {
          callback: (_error, { subject, headers }) => {
            heard.push({ subject, traceparent: headers?.get('traceparent') || undefined })
          },
        }),
      )
      await nats.flush()
      const before = collector.spans.length
      const answer = await ask(false)
      assert.is(answer.status, 200)
      assert.is(answer.headers['x-svc-trace-id'], undefined)
      const untraced = String(answer.headers['x-svc-job-id'])
      await jobSettles(firstCustomer(network), untraced)
      assert.ok(heard.some(({ subject }) => subject.startsWith('pool.')))
      assert.equal(
        heard.filter(({ traceparent }) => traceparent !== undefined),
        [],
      )

      // A traced one after it: by when that is told of, the other would have been.
      const { traceId, spanId } = newTrace()
      const traced = await ask(false, { traceparent: `00-${traceId}-${spanId}-01` })
      await jobSettles(firstCustomer(network), String(traced.headers['x-svc-job-id']))
      await spanOf(traceId, 'job')
      const on = heard.flatMap(({ subject, traceparent }) =>
        traceparent === undefined ? [] : subject.split('.')[0],
      )
      assert.equal([...new Set(on)].sort(), ['cmd', 'pool'])
      const told = JSON.stringify(collector.spans.slice(before))
      assert.not(told.includes(untraced))
      for (const each of subscriptions) each.unsubscribe()
    } finally {
      await nats.close()
    }
  },
)

Traces('a refused request is seen with its status, and no job', async () => {
  const { traceId, spanId } = newTrace()
  const headers = { traceparent: `00-${traceId}-${spanId}-01` }
  const answer = await ask(false, headers, 'nobody/has-this')
  assert.is(answer.status, 400)
  assert.is(answer.headers['x-svc-trace-id'], traceId)
  const request = await spanOf(traceId, 'POST /v1/chat/completions')
  assert.is(request.attributes['http.response.status_code'], 400)
  assert.is(request.failed, false)
  assert.equal(namesOf(traceId).sort(), ['POST /v1/chat/completions', 'admit'])
})

Traces.run()

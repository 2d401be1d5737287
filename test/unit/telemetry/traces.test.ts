import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseTraceparent, traceparentOf } from '../../../src/domain/traceparent.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { openTraces } from '../../../src/telemetry/open-traces.ts'
import type { TraceOptions, Traces } from '../../../src/telemetry/traces.ts'
import { type Collector, startCollector } from '../../fakes/collector.ts'
import { freePort } from '../../integration/servers.ts'

const Tracing = suite('telemetry: traces')

const callers = '4bf92f3577b34da6a3ce929d0e0e4736'
const sampled = `00-${callers}-00f067aa0ba902b7-01`
const unsampled = `00-${callers}-00f067aa0ba902b7-00`
const parent = traceparentOf(callers, '00f067aa0ba902b7')

async function opened(options: Partial<TraceOptions>, lines: string[] = []): Promise<Traces> {
  const log = makeLog('test', 'info', { write: (line) => void lines.push(line) })
  const about = { endpoint: undefined, headers: {}, role: 'test', instance: 'one', log }
  const traces = await openTraces({ ...about, ...options })
  assert.ok(traces)
  return traces
}

/** What arrives of what `work` did, once the process has ended. */
async function collected(
  options: Partial<TraceOptions>,
  work: (traces: Traces) => void,
): Promise<Collector> {
  const collector = await startCollector()
  try {
    const traces = await opened({ endpoint: collector.url, ...options })
    work(traces)
    await traces.close()
  } finally {
    await collector.close()
  }
  return collector
}

Tracing('without a collector there are none', async () => {
  const log = makeLog('test', 'silent')
  const about = { headers: {}, role: 'edge', instance: 'one', log }
  assert.is(await openTraces({ ...about, endpoint: undefined }), undefined)
})

Tracing(
  'a span of each kind arrives, with what it belongs to and what is known of it',
  async () => {
    const { spans, headers } = await collected({ headers: { 'x-key': 'k' } }, (traces) => {
      const request = traces.receive('POST /x', sampled, { model: 'm' })!
      const part = traces.begin('part', request.context)
      part.event('half')
      part.end({ tokens: 7, absent: undefined })
      part.end({ tokens: 8 })
      traces.gather('batch', [part.context, request.context]).end({ 'error.type': 'reverted' })
      request.end()
    })
    const [part, batch, request] = spans
    assert.is(headers[0]?.['x-key'], 'k')
    assert.is(request?.service, 'svc-test')
    assert.is(request?.traceId, callers)
    assert.is(request?.parentSpanId, '00f067aa0ba902b7')
    assert.equal(request?.attributes, { model: 'm' })
    assert.is(part?.parentSpanId, request?.spanId)
    assert.equal(part?.attributes, { tokens: 7 })
    assert.equal(part?.events, ['half'])
    assert.is(part?.failed, false)
    assert.is(batch?.parentSpanId, '')
    assert.is.not(batch?.traceId, callers)
    assert.equal(
      batch?.links.map(({ spanId }) => spanId),
      [part?.spanId, request?.spanId],
    )
    assert.is(batch?.failed, true)
  },
)

Tracing('a transaction of the most items has a link to each', async () => {
  const origins = Array.from({ length: 200 }, (_, i) =>
    traceparentOf(callers, (i + 1).toString(16).padStart(16, '0')),
  )
  const { spans } = await collected({}, (traces) => traces.gather('batch', origins).end())
  assert.is(spans[0]?.links.length, 200)
})

Tracing('a whole span has the place and the times that it is given, however old', async () => {
  const context = traceparentOf(callers, 'abcdef0123456789')
  const about = { name: 'job', context, parent, attributes: { n: 1 } }
  // Long before this process began: a job that came from another host.
  const times = { start: 1_600_000_000_250, end: 1_600_000_002_500 }
  const events = [{ name: 'locked', at: 1_600_000_001_000 }]
  const { spans } = await collected({}, (traces) => {
    traces.record({ ...about, ...times, events })
    traces.begin('next', context).end()
  })
  const [job, next] = spans
  assert.is(job?.spanId, 'abcdef0123456789')
  assert.is(job?.parentSpanId, '00f067aa0ba902b7')
  assert.is(job?.startMs, times.start)
  assert.is(job?.endMs, times.end)
  assert.equal(job?.events, ['locked'])
  assert.is(next?.parentSpanId, job?.spanId)
  assert.is.not(next?.spanId, job?.spanId)
})

Tracing('who is traced: by ratio, and as the caller says', async () => {
  const traced = async (
    name: NonNullable<TraceOptions['sampler']>['name'],
    ratio: number,
    header?: string,
  ) => {
    let is = false
    await collected({ sampler: { name, ratio } }, (traces) => {
      is = traces.receive('x', header) !== undefined
    })
    return is
  }
  assert.is(await traced('always_on', 0, unsampled), true)
  assert.is(await traced('always_off', 1, sampled), false)
  assert.is(await traced('parentbased_traceidratio', 0), false)
  assert.is(await traced('parentbased_traceidratio', 1), true)
  assert.is(await traced('parentbased_traceidratio', 0, sampled), true)
  assert.is(await traced('parentbased_traceidratio', 1, unsampled), false)
  assert.is(await traced('parentbased_always_off', 1, sampled), true)
  assert.is(await traced('parentbased_always_on', 0, unsampled), false)
  assert.is(await traced('traceidratio', 0, sampled), false)
  assert.is(await traced('parentbased_traceidratio', 0, 'nonsense'), false)
})

Tracing('about the given share of requests is traced, and all that belongs to one', async () => {
  const REQUESTS = 4_000
  const { spans } = await collected(
    { sampler: { name: 'traceidratio', ratio: 0.25 } },
    (traces) => {
      for (let i = 0; i < REQUESTS; i++) {
        const span = traces.receive('x', undefined)
        if (!span) continue
        traces.begin('part', span.context).end()
        span.end()
      }
    },
  )
  const requests = spans.filter(({ name }) => name === 'x')
  // Six standard deviations of 27.
  assert.ok(Math.abs(requests.length - REQUESTS / 4) < 165, `${requests.length} of ${REQUESTS}`)
  assert.is(spans.length, requests.length * 2)
  assert.equal(
    new Set(spans.map(({ traceId }) => traceId)),
    new Set(requests.map(({ traceId }) => traceId)),
  )
})

Tracing('a collector that is away costs a line of log, and does not hold up the end', async () => {
  const lines: string[] = []
  const traces = await opened({ endpoint: `http://127.0.0.1:${await freePort()}` }, lines)
  for (let i = 0; i < 100; i++) traces.begin('x', parent).end()
  const began = performance.now()
  await traces.close()
  assert.ok(performance.now() - began < 4_500)
  assert.ok(lines.length >= 1 && lines.length <= 2, lines.join(''))
  assert.match(lines[0] ?? '', /"level":40.*traces: /)
})

Tracing('one that refuses is complained of once, with its address and no password', async () => {
  const lines: string[] = []
  const collector = await startCollector(() => 400)
  const endpoint = `${collector.url.replace('//', '//svc:secret@')}/`
  const traces = await opened({ endpoint }, lines)
  for (let i = 0; i < 1_000; i++) traces.begin('x', parent).end()
  await traces.close()
  await collector.close()
  const told = lines.map((line) => JSON.parse(line)).filter(({ url }) => url)
  assert.is(told.length, 1, lines.join(''))
  assert.is(told[0].url, `${collector.url}/v1/traces`)
  assert.ok(told[0].lost > 0)
})

Tracing('the context of a span is what its header says', async () => {
  const traces = await opened({ endpoint: 'http://127.0.0.1:9' })
  const span = traces.receive('x', sampled)!
  assert.equal(parseTraceparent(span.context)?.traceId, callers)
  assert.is(parseTraceparent(span.context)?.sampled, true)
})

Tracing.run()

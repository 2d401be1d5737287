import type { Context, HrTime, Span as OtelSpan, SpanContext } from '@opentelemetry/api'
import type { BasicTracerProvider, Sampler } from '@opentelemetry/sdk-trace-base'
import { parseTraceparent, type Traceparent, traceparentOf } from '../domain/traceparent.ts'
import type { Log } from './log.ts'
import { tellFailures } from './tell-failures.ts'
import type { Attributes, Span, TraceOptions, Traces, WholeSpan } from './traces.ts'

/** Bounds what a process holds for a collector that is slow or away: a few megabytes. */
const QUEUE_MAX = 4_096
const BATCH_MAX = 512
const EVERY_MS = 1_000
const EXPORT_MS = 10_000
/** Who stops a process does not wait for a collector. */
const CLOSE_MS = 3_000
/** A transaction has at most 200 items, each with an origin. */
const LINKS_MAX = 256

type Otel = Awaited<ReturnType<typeof loadOtel>>
type Options = TraceOptions & { readonly endpoint: string }

/** Only a process that traces loads these, also where it is bundled: hence no imports at the top. */
async function loadOtel() {
  const [api, otlp, resources, sdk] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-base'),
  ])
  return { api, otlp, resources, sdk }
}

/** Spans as OTLP over HTTP, in JSON, sent in the background. */
export async function exportTraces(options: Options): Promise<Traces> {
  const otel = await loadOtel()
  const { ROOT_CONTEXT, SpanKind, trace } = otel.api
  const ids = namedIds(otel)
  const provider = providerOf(otel, options, ids)
  const tracer = provider.getTracer('svc')

  // What is no `traceparent` is as if nothing had come: a trace begins here.
  const under = (traceparent: unknown): Context => {
    const place = placeOf(traceparent)
    return place ? trace.setSpanContext(ROOT_CONTEXT, place) : ROOT_CONTEXT
  }
  const finish = (span: OtelSpan, attributes: Attributes, at?: HrTime) => {
    const failed = attributes['error.type'] !== undefined
    if (failed) span.setStatus({ code: otel.api.SpanStatusCode.ERROR })
    span.end(at)
  }
  const toSpan = (span: OtelSpan): Span => ({
    context: contextOf(span),
    event: (name, attributes = {}) => span.addEvent(name, present(attributes)),
    end: (attributes = {}) => {
      if (!span.isRecording()) return
      span.setAttributes(present(attributes))
      finish(span, attributes)
    },
  })

  return {
    receive: (name, traceparent, attributes = {}) => {
      const about = { kind: SpanKind.SERVER, attributes: present(attributes) }
      const span = tracer.startSpan(name, about, under(traceparent))
      return span.isRecording() ? toSpan(span) : undefined
    },
    begin: (name, parent, attributes = {}) =>
      toSpan(tracer.startSpan(name, { attributes: present(attributes) }, under(parent))),
    gather: (name, origins, attributes = {}) => {
      const links = origins.flatMap((origin) => {
        const context = placeOf(origin)
        return context ? [{ context }] : []
      })
      const about = { links, attributes: present(attributes) }
      return toSpan(tracer.startSpan(name, about, ROOT_CONTEXT))
    },
    record: ({ name, context, parent, start, end, attributes, events }: WholeSpan) => {
      const about = { attributes: present(attributes), startTime: hrTime(start) }
      const span = ids.as(context, () => tracer.startSpan(name, about, under(parent)))
      for (const { name: what, at, attributes: of = {} } of events) {
        span.addEvent(what, present(of), hrTime(at))
      }
      finish(span, attributes, hrTime(end))
    },
    close: () => closeWithin(provider, options.log),
  }
}

type Ids = ReturnType<typeof namedIds>

function providerOf(otel: Otel, options: Options, idGenerator: Ids): BasicTracerProvider {
  const { endpoint, headers, sampler, role, instance, log } = options
  const { BasicTracerProvider, BatchSpanProcessor, AlwaysOnSampler } = otel.sdk
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const exporter = new otel.otlp.OTLPTraceExporter({
    url,
    headers: { ...headers },
    timeoutMillis: EXPORT_MS,
    // At the end all that waits is sent at once.
    concurrencyLimit: QUEUE_MAX / BATCH_MAX,
  })
  const batches = new BatchSpanProcessor(tellFailures(exporter, url, log), {
    maxQueueSize: QUEUE_MAX,
    maxExportBatchSize: BATCH_MAX,
    scheduledDelayMillis: EVERY_MS,
    exportTimeoutMillis: EXPORT_MS,
  })
  return new BasicTracerProvider({
    resource: otel.resources.resourceFromAttributes({
      'service.name': `svc-${role}`,
      'service.instance.id': instance,
    }),
    // Whoever receives no requests records what it is told of: the edge has chosen.
    sampler: sampler ? samplerOf(otel, sampler) : new AlwaysOnSampler(),
    idGenerator,
    spanLimits: { linkCountLimit: LINKS_MAX },
    spanProcessors: [batches],
  })
}

function samplerOf({ sdk }: Otel, { name, ratio }: NonNullable<TraceOptions['sampler']>): Sampler {
  const makers = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  }
  const root = makers[name.replace('parentbased_', '') as keyof typeof makers]()
  return name.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root }) : root
}

/** Ids at random, but for a span that has one already. */
function namedIds({ sdk }: Otel) {
  const random = new sdk.RandomIdGenerator()
  let given: string | undefined
  return {
    generateTraceId: () => random.generateTraceId(),
    generateSpanId: () => given ?? random.generateSpanId(),
    /** `start` in the place of `context`. */
    as: (context: Traceparent, start: () => OtelSpan): OtelSpan => {
      given = placeOf(context)?.spanId
      try {
        return start()
      } finally {
        given = undefined
      }
    },
  }
}

const SAMPLED = 1

function placeOf(traceparent: unknown): SpanContext | undefined {
  const place = parseTraceparent(traceparent)
  if (!place) return undefined
  const { traceId, spanId, sampled } = place
  return { traceId, spanId, traceFlags: sampled ? SAMPLED : 0, isRemote: true }
}

function contextOf(span: OtelSpan): Traceparent {
  const { traceId, spanId } = span.spanContext()
  return traceparentOf(traceId, spanId)
}

/** A number would be read as the time since the process began, where it is smaller than that. */
const hrTime = (ms: number): HrTime => [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000]

const present = (attributes: Attributes) =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))

async function closeWithin(provider: BasicTracerProvider, log: Log): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), CLOSE_MS)
  })
  try {
    if ((await Promise.race([provider.shutdown(), late])) === 'late') {
      log.warn({ waitedMs: CLOSE_MS }, 'traces: the last spans are given up')
    }
  } catch (error) {
    log.warn({ err: error }, 'traces: the last spans are not sent')
  } finally {
    clearTimeout(timer)
  }
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

type Value = string | number | boolean

/** A span as the collector was told of it. */
export interface CollectedSpan {
  readonly service: string
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  /** Empty: it begins its trace. */
  readonly parentSpanId: string
  readonly startMs: number
  readonly endMs: number
  readonly failed: boolean
  readonly attributes: Readonly<Record<string, Value>>
  readonly events: readonly string[]
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
}

/** Takes traces in OTLP over HTTP, in JSON, as a collector does. */
export interface Collector {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  /** Of each request, all that came. */
  readonly bodies: readonly string[]
  readonly headers: readonly IncomingMessage['headers'][]
  close(): Promise<void>
}

interface Attribute {
  readonly key: string
  readonly value: {
    readonly stringValue?: string
    readonly boolValue?: boolean
    readonly intValue?: number | string
    readonly doubleValue?: number
  }
}
interface SentSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status?: { readonly code?: number }
  readonly attributes?: readonly Attribute[]
  readonly events?: readonly { readonly name: string }[]
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
}
interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}

const ERROR = 2

/** @param status that it answers with */
export async function startCollector(status: () => number = () => 200): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const bodies: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString()
      const code = request.url === '/v1/traces' ? status() : 404
      bodies.push(body)
      headers.push(request.headers)
      if (code === 200) spans.push(...read(JSON.parse(body)))
      response.writeHead(code, { 'content-type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...{ spans, bodies, headers },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const read = ({ resourceSpans }: Sent): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name'])
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => toSpan(service, span)))
  })

const toSpan = (service: string, span: SentSpan): CollectedSpan => ({
  service,
  name: span.name,
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId ?? '',
  startMs: Number(BigInt(span.startTimeUnixNano) / 1_000n) / 1_000,
  endMs: Number(BigInt(span.endTimeUnixNano) / 1_000n) / 1_000,
  failed: span.status?.code === ERROR,
  attributes: valuesOf(span.attributes ?? []),
  events: (span.events ?? []).map(({ name }) => name),
  links: span.links ?? [],
})

const valuesOf = (attributes: readonly Attribute[]): Record<string, Value> =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, boolValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? boolValue ?? Number(intValue ?? doubleValue),
    ]),
  )

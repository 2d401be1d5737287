import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HeaderNames } from '../../domain/service-names.ts'
import { type Traceparent, traceIdOf } from '../../domain/traceparent.ts'
import type { Span, Traces } from '../../telemetry/traces.ts'
import type { TakenOn } from './take-on.ts'

/** The spans of one request, beside what is counted of it. */
export interface RequestTrace {
  /** For the job that is made for it. */
  readonly context: Traceparent
  /** The job that it waits for is known; the latest counts. */
  admitted(taken: TakenOn): void
  /** Its caller could be sent text. */
  firstText(): void
  /** @param end as it is counted: `completed`, `hung_up`, or an error code */
  over(end: string): void
}

/** Undefined: the request is not traced. */
export function traceRequest(
  { traces, headers }: { traces?: Traces | undefined; headers: HeaderNames },
  request: FastifyRequest,
  reply: FastifyReply,
): RequestTrace | undefined {
  if (!traces) return undefined
  const route = request.routeOptions.url ?? ''
  const span = traces.receive(`${request.method} ${route}`, request.headers.traceparent, {
    'http.request.method': request.method,
    'http.route': route,
    'svc.request_id': request.id,
  })
  if (!span) return undefined
  reply.header(headers.traceId, traceIdOf(span.context))
  const { context } = span
  const admit = traces.begin('admit', context)
  let jobId: string | undefined
  let waits: { readonly first: Span; readonly whole: Span } | undefined
  reply.raw.once('close', () => {
    // What has not ended by now was refused, or cut.
    for (const each of [admit, waits?.first, waits?.whole]) each?.end()
    const { statusCode: status, writableFinished } = reply.raw
    span.end({
      'svc.job_id': jobId,
      'http.response.status_code': status,
      'error.type': status >= 500 ? String(status) : writableFinished ? undefined : 'cut',
    })
  })
  return {
    context,
    admitted: ({ type, job }) => {
      jobId = job.jobId
      const about = { 'svc.job_id': jobId, 'svc.model': job.model, 'svc.joined': type === 'joined' }
      for (const each of [admit, waits?.first, waits?.whole]) each?.end(about)
      waits = {
        first: traces.begin('first text', context, about),
        whole: traces.begin('whole answer', context, about),
      }
    },
    firstText: () => waits?.first.end(),
    over: (end) => waits?.whole.end({ 'svc.end': end }),
  }
}

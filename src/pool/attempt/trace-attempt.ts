import type { OfferJob } from '../../messages/pool.ts'
import type { Span, Traces } from '../../telemetry/traces.ts'

interface TracedAttempt {
  readonly span: Span
  /** What the workers are asked for belongs to the attempt. */
  readonly job: OfferJob
  /** No worker is on it any more; what the job is told ends the span, unless it is told nothing. */
  ended(): void
}

/** The span of an attempt, from its offer to what the job is told of it. Undefined: it is not traced. */
export function traceAttempt(traces: Traces | undefined, job: OfferJob): TracedAttempt | undefined {
  if (!traces || !job.trace) return undefined
  const { jobId, attempt, model, trace } = job
  const about = { 'svc.job_id': jobId, 'svc.attempt': attempt, 'svc.model': model }
  const span = traces.begin('pool attempt', trace, about)
  return {
    span,
    job: { ...job, trace: span.context },
    // The report is made in the same turn.
    ended: () => queueMicrotask(() => span.end({ 'svc.end': 'dropped' })),
  }
}

import type { SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Log } from './log.ts'

/** What becomes of spans is nobody's work: a line now and then is enough. */
const TELL_EVERY_MS = 60_000

/** `exporter`, with a line of log where spans are lost: at once, then once a minute. */
export function tellFailures(exporter: SpanExporter, to: string, log: Log): SpanExporter {
  const url = withoutUser(to)
  let lost = 0
  let toldAt = Number.NEGATIVE_INFINITY
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error || result.code !== 0) {
          lost += spans.length
          const now = performance.now()
          if (now - toldAt >= TELL_EVERY_MS) {
            log.warn({ url, lost, why: result.error?.message }, 'traces: the collector takes none')
            toldAt = now
            lost = 0
          }
        }
        done(result)
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}

/** What of the collector's address a line of log may hold: its user may have a password. */
function withoutUser(address: string): string {
  const url = new URL(address)
  return `${url.origin}${url.pathname}`
}

import { z } from 'zod'
import { SAMPLERS, type TraceOptions } from '../telemetry/traces.ts'

/** Standard variables of OpenTelemetry, as far as they mean something here. */

const NOT_PAIRS =
  'must be name=value, comma-separated, with what is special in them percent-encoded'

/** Of roles that have spans. */
export const tracing = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, message: 'must be an http or https address' })
    .optional()
    .describe(
      'collector of traces (OTLP over HTTP, JSON), like http://127.0.0.1:4318; without one nothing ' +
        'is traced',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .default('')
    .transform((text, context) => {
      const pairs = parsePairs(text)
      if (!pairs) context.addIssue({ code: 'custom', message: NOT_PAIRS })
      return pairs ?? {}
    })
    .describe('headers that the collector wants, as name=value, comma-separated'),
}

const A_SHARE = 'must be a number, 0 to 1'

/** Of the role that receives requests, and so decides which are traced. */
export const sampling = {
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS)
    .default('parentbased_traceidratio')
    .describe(
      `which requests are traced, of ${SAMPLERS.join(', ')}; parentbased: one whose traceparent says ` +
        'that its caller traces it is traced, one that says it does not is not',
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number(A_SHARE)
    .min(0, A_SHARE)
    .max(1, A_SHARE)
    .default(1)
    .describe('for traceidratio: which share of requests, 0 to 1'),
}

interface TracingConfig {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  readonly OTEL_EXPORTER_OTLP_HEADERS: Readonly<Record<string, string>>
  readonly OTEL_TRACES_SAMPLER?: (typeof SAMPLERS)[number]
  readonly OTEL_TRACES_SAMPLER_ARG?: number
}

/** As `openTraces` takes them. */
export const tracesOf = (
  config: TracingConfig,
): Pick<TraceOptions, 'endpoint' | 'headers' | 'sampler'> => ({
  endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
  headers: config.OTEL_EXPORTER_OTLP_HEADERS,
  ...(config.OTEL_TRACES_SAMPLER
    ? {
        sampler: {
          name: config.OTEL_TRACES_SAMPLER,
          ratio: config.OTEL_TRACES_SAMPLER_ARG ?? 1,
        },
      }
    : {}),
})

function parsePairs(text: string): Record<string, string> | undefined {
  const pairs = text.split(',').flatMap((pair) => (pair.trim() ? [pair.split(/=(.*)/s)] : []))
  if (pairs.some(([name = '', value]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name.trim()) || !value)) {
    return undefined
  }
  try {
    return Object.fromEntries(
      pairs.map(([name, value]) => [name!.trim().toLowerCase(), decodeURIComponent(value!.trim())]),
    )
  } catch {
    return undefined // a stray percent sign
  }
}

import { ERRORS, type ErrorCode } from '../../domain/errors.ts'
import type { Operation } from './operation.ts'
import { type HeaderName, headerRefs, JOB_HEADERS } from './response-headers.ts'
import type { Ref, ResponseObject } from './shape.ts'
import { WRITTEN } from './written-names.ts'

/** What any request can be refused with, whatever it asks for. */
const EVERYWHERE = [
  'invalid_request',
  'request_timeout',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
] as const
const TRACE: HeaderName = WRITTEN.headers.traceId
const WITHOUT_GOOD_KEY = ['missing_api_key', 'invalid_api_key', 'key_suspended'] as const

/** The refusals of operations: one response a status; those that are the same are written once. */
export class ErrorResponses {
  readonly components: Record<string, ResponseObject> = {}

  /** Status to response. */
  of(operation: Operation): Record<string, Ref> {
    const byStatus = new Map<number, ErrorCode[]>()
    for (const code of codesOf(operation)) {
      const status = operation.statuses?.[code] ?? ERRORS[code].status
      byStatus.set(status, [...(byStatus.get(status) ?? []), code])
    }
    const sorted = [...byStatus].sort(([a], [b]) => a - b)
    return Object.fromEntries(
      sorted.map(([status, codes]) => [status, this.#response(status, codes, operation)]),
    )
  }

  #response(status: number, codes: readonly ErrorCode[], operation: Operation): Ref {
    const ofJob = operation.concernsJob === true && MAY_NAME_A_JOB.has(status)
    const traced = ofJob && operation.answer.headers.includes(TRACE)
    const headers = [
      ...headersOf(status, operation.needsKey, ofJob),
      // Most of all of what fails: it is to be quoted.
      ...(traced ? [TRACE] : []),
    ]
    const name = [status, ...codes, ...kindOf(operation, ofJob, traced)].join('.')
    this.components[name] = {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].when}`).join('\n\n'),
      headers: headerRefs(headers),
      'x-error-codes': codes,
      content: {
        'application/json': {
          schema: {
            $ref: '#/components/schemas/Error',
            properties: { error: { properties: { code: { enum: codes } } } },
          },
        },
      },
    }
    return { $ref: `#/components/responses/${name}` }
  }
}

const codesOf = ({ needsKey, errors }: Operation): readonly ErrorCode[] => [
  ...new Set<ErrorCode>([...EVERYWHERE, ...(needsKey ? WITHOUT_GOOD_KEY : []), ...errors]),
]

/** What tells responses of the same codes apart. */
function kindOf({ needsKey }: Operation, ofJob: boolean, traced: boolean): readonly string[] {
  if (traced) return ['of-a-traced-job']
  if (ofJob) return ['of-a-job']
  return needsKey ? [] : ['without-key']
}

/** The others are decided before there is a job. */
const MAY_NAME_A_JOB: ReadonlySet<number> = new Set([400, 402, 409, 410, 422, 500, 503, 504])
const WITHOUT_A_CALLER: ReadonlySet<number> = new Set([401, 429])

function headersOf(status: number, needsKey: boolean, ofJob: boolean): readonly HeaderName[] {
  const headers: HeaderName[] = ['x-request-id']
  if (status === 401) headers.push('www-authenticate')
  if (status === 409) headers.push('x-should-retry')
  if (status === 429 || status === 503) headers.push('retry-after')
  if (ofJob) headers.push(...JOB_HEADERS)
  if (needsKey && !WITHOUT_A_CALLER.has(status)) headers.push(WRITTEN.headers.creditsRemaining)
  return headers
}

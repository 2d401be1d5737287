import * as assert from 'uvu/assert'
import type { Answer } from '../customer.ts'
import type { Refused } from '../public-shapes.ts'

/**
 * What the specification and its choices page say of each error code. Written from them, so that it
 * can disagree with the code.
 */
interface Documented {
  /** More than one only where a code stands for two things. */
  readonly statuses: readonly number[]
  /** Names and kinds of `details`; undefined where none are documented. */
  readonly details?: Readonly<Record<string, 'integer' | 'string'>>
}

export const ERROR_CODES: Readonly<Record<string, Documented>> = {
  invalid_api_key: { statuses: [401] },
  missing_api_key: { statuses: [401] },
  key_suspended: { statuses: [403] },
  insufficient_credits: {
    statuses: [402],
    details: { credits_remaining: 'integer', credits_required: 'integer', tier: 'string' },
  },
  // 404 where it is the path that names the model.
  model_not_found: { statuses: [400, 404] },
  no_workers_available: {
    statuses: [503],
    details: { model: 'string', retry_after: 'integer' },
  },
  job_timeout: {
    statuses: [504],
    details: { job_id: 'string', credits_refunded: 'integer', refund_tx: 'string' },
  },
  invalid_request: { statuses: [400] },
  context_length_exceeded: { statuses: [400] },
  dispute_window_expired: { statuses: [422] },
  route_not_found: { statuses: [404] },
  job_not_found: { statuses: [404] },
  webhook_not_found: { statuses: [404] },
  webhook_limit_reached: { statuses: [409], details: { webhooks_max: 'integer' } },
  invalid_webhook_url: { statuses: [422] },
  job_not_completed: { statuses: [409] },
  dispute_already_open: { statuses: [409] },
  request_too_large: { statuses: [413] },
  rate_limited: { statuses: [429] },
  internal_error: { statuses: [500] },
  // src/docs/decisions, "Error codes added".
  method_not_allowed: { statuses: [405] },
  service_unavailable: { statuses: [503] },
  request_timeout: { statuses: [408] },
  headers_too_large: { statuses: [431] },
  answer_gone: {
    statuses: [410],
    details: { job_id: 'string', credits_charged: 'integer' },
  },
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'payment_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'invalid_request_error',
  409: 'conflict_error',
  410: 'not_found_error',
  413: 'invalid_request_error',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  431: 'invalid_request_error',
  500: 'server_error',
  503: 'capacity_error',
  504: 'timeout_error',
}

const MESSAGE_CHARACTERS_MAX = 700
/** What a crash leaves in a message. */
const TRACES = /\n\s*at |node_modules|\.[jt]s:\d|[A-Z]\w*Error\b|ECONN|undefined|\[object /

/** The error of an answer. @throws naming what in it is not as documented */
export function refusalOf(
  { status, headers, text }: Pick<Answer, 'status' | 'headers' | 'text'>,
  docsUrl: string,
): Refused {
  assert.ok(headers['x-request-id'], 'x-request-id is on every answer')
  assert.match(String(headers['content-type']), /^application\/json\b/, 'an error is JSON')
  const body = JSON.parse(text) as { error: Refused }
  assert.equal(Object.keys(body), ['error'], `more than an error: ${text.slice(0, 300)}`)
  checkError(body.error, status, docsUrl)
  if (status === 503 || status === 429) checkRetryAfter(headers['retry-after'])
  return body.error
}

/** The error object itself; `status` is undefined in a stream, where headers have left. */
export function checkError(error: Refused, status: number | undefined, docsUrl: string): void {
  const told = JSON.stringify(error)
  const { details, ...rest } = error
  assert.equal(Object.keys(rest).sort(), ['code', 'docs', 'message', 'param', 'type'], told)
  const documented = Object.hasOwn(ERROR_CODES, error.code) ? ERROR_CODES[error.code] : undefined
  if (!documented) throw new Error(`a code that is not documented: ${told}`)
  const { statuses } = documented
  assert.ok(status === undefined || statuses.includes(status), `${told} with status ${status}`)
  const types = status === undefined ? statuses.map((each) => TYPES[each]) : [TYPES[status]]
  assert.ok(types.includes(error.type), `the type of ${told}`)
  assert.ok(error.param === null || typeof error.param === 'string', `the param of ${told}`)
  assert.is(error.docs, `${docsUrl}/api-reference/errors#${error.code}`)
  checkMessage(error.message)
  if (documented.details) checkDetails(details, documented.details, told)
  else assert.ok(details === undefined || typeof details === 'object', `the details of ${told}`)
}

function checkMessage(message: unknown): void {
  if (typeof message !== 'string') throw new Error(`a message of ${typeof message}`)
  assert.ok(message.length > 10, `the message says nothing: ${message}`)
  assert.ok(message.length <= MESSAGE_CHARACTERS_MAX, `a message of ${message.length} characters`)
  assert.not.match(message, TRACES)
}

function checkDetails(
  details: Refused['details'],
  documented: NonNullable<Documented['details']>,
  told: string,
): void {
  assert.equal(Object.keys(details ?? {}).sort(), Object.keys(documented).sort(), told)
  for (const [name, kind] of Object.entries(documented)) {
    const value = details?.[name]
    assert.ok(kind === 'integer' ? Number.isInteger(value) : typeof value === kind, told)
  }
}

function checkRetryAfter(header: string | undefined): void {
  const seconds = Number(header)
  const is = Number.isInteger(seconds) && seconds >= 1 && seconds <= 60
  assert.ok(is, `retry-after is whole seconds, at most 60, not ${header}`)
}

export interface Wanted {
  readonly status: number
  readonly code: string
  /** Left out: not looked at. */
  readonly param?: string | null
}

/** The error of an answer that must be this one. */
export function refusedAs(answer: Answer, docsUrl: string, wanted: Wanted): Refused {
  assert.is(answer.status, wanted.status, answer.text.slice(0, 400))
  const error = refusalOf(answer, docsUrl)
  assert.is(error.code, wanted.code, answer.text.slice(0, 400))
  if (wanted.param !== undefined) assert.is(error.param, wanted.param, answer.text.slice(0, 400))
  return error
}

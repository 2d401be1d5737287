/** One table from public error code to status and type (specification, Errors; choices, Errors). */
export const ERRORS = {
  invalid_request: { status: 400, type: 'invalid_request_error' },
  model_not_found: { status: 400, type: 'invalid_request_error' },
  context_length_exceeded: { status: 400, type: 'invalid_request_error' },
  missing_api_key: { status: 401, type: 'authentication_error' },
  invalid_api_key: { status: 401, type: 'authentication_error' },
  insufficient_credits: { status: 402, type: 'payment_error' },
  key_suspended: { status: 403, type: 'permission_error' },
  route_not_found: { status: 404, type: 'not_found_error' },
  job_not_found: { status: 404, type: 'not_found_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  job_not_completed: { status: 409, type: 'conflict_error' },
  request_too_large: { status: 413, type: 'invalid_request_error' },
  rate_limited: { status: 429, type: 'rate_limit_error' },
  internal_error: { status: 500, type: 'server_error' },
  no_workers_available: { status: 503, type: 'capacity_error' },
  service_unavailable: { status: 503, type: 'capacity_error' },
  job_timeout: { status: 504, type: 'timeout_error' },
} as const

export type ErrorCode = keyof typeof ERRORS
export type ErrorType = (typeof ERRORS)[ErrorCode]['type']

/** A refusal on its way to a caller. Only the edge turns it into HTTP. */
export interface Refusal {
  readonly code: ErrorCode
  /** What was wrong, where, and what to do. */
  readonly message: string
  /** The request parameter that caused it. */
  readonly param?: string
  readonly details?: Readonly<Record<string, string | number>>
}

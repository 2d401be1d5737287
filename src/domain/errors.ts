/**
 * The one table of public errors: code to status and type (specification, Errors; choices, Errors),
 * and what the documentation says of it.
 */
export const ERRORS = {
  invalid_request: {
    status: 400,
    type: 'invalid_request_error',
    when: 'The body is not JSON, lacks a required field, or a value is not one we take; or a query parameter is wrong. What is not supported and would change the answer (tools, images, more than one choice) is refused this way too. `param` names the offender where there is one.',
    todo: 'Change what `param` names, as `message` says.',
    retry: 'no',
  },
  model_not_found: {
    status: 400,
    type: 'invalid_request_error',
    when: 'The `model` of a chat request is no model ID, or a vote has retired the model and its notice has run out. `GET /v1/models/<id>` answers the same code with status 404 and type `not_found_error`, also for a model that no worker serves at the moment.',
    todo: 'Take an ID from `GET /v1/models`; case matters.',
    retry: 'no',
  },
  context_length_exceeded: {
    status: 400,
    type: 'invalid_request_error',
    when: "The messages together exceed the model's context window. Where only the worker's tokenizer can tell, a job exists already; all its credits are returned.",
    todo: 'Shorten the conversation, or use a model with a larger `svc.context_window`.',
    retry: 'no',
  },
  missing_api_key: {
    status: 401,
    type: 'authentication_error',
    when: 'The request has no `Authorization` header.',
    todo: 'Send `Authorization: Bearer <key>`.',
    retry: 'no',
  },
  invalid_api_key: {
    status: 401,
    type: 'authentication_error',
    when: 'The key never existed, was revoked, or does not have the form `svc_live_` and 32 letters and digits.',
    todo: 'Check the key; make a new one in the web app if it is lost.',
    retry: 'no',
  },
  insufficient_credits: {
    status: 402,
    type: 'payment_error',
    when: "The wallet can spend fewer credits than the request needs: the flat price of the model's tier, or the price of an explicit `max_tokens`. Or the limit a day that the wallet has set for itself on chain leaves less.",
    todo: 'Buy credits in the web app, lower `max_tokens`, or use a model of a lower tier.',
    retry: 'no',
  },
  key_suspended: {
    status: 403,
    type: 'permission_error',
    when: 'The key was suspended after a policy violation or an abuse flag.',
    todo: 'Contact support.',
    retry: 'no',
  },
  route_not_found: {
    status: 404,
    type: 'not_found_error',
    when: 'There is no such path. For an endpoint of other services that is planned here, or not offered, `message` says so and what to use instead.',
    todo: 'Check the path against the reference; the base URL ends in `/v1`.',
    retry: 'no',
  },
  job_not_found: {
    status: 404,
    type: 'not_found_error',
    when: 'The wallet of the key has no job of this ID. The job of another wallet gets the same answer.',
    todo: 'Check the ID: `job_` and 26 letters and digits, as in `x-svc-job-id`.',
    retry: 'no',
  },
  webhook_not_found: {
    status: 404,
    type: 'not_found_error',
    when: 'The wallet of the key has no webhook of this ID. The webhook of another wallet gets the same answer.',
    todo: 'Take an ID from `GET /v1/webhooks`.',
    retry: 'no',
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    when: 'The path exists, but not with this method.',
    todo: 'Use a method of the `allow` header.',
    retry: 'no',
  },
  request_timeout: {
    status: 408,
    type: 'invalid_request_error',
    when: 'The request took too long to arrive: its headers more than 15 seconds, or all of it more than 60. Nothing was charged.',
    todo: 'Send it again, in one go.',
    retry: 'yes',
  },
  job_not_completed: {
    status: 409,
    type: 'conflict_error',
    when: 'A dispute of a job that has no finished answer: it still runs, failed or was refunded.',
    todo: 'Dispute after the last token has arrived. A job that failed or was refunded has cost nothing.',
    retry: 'no',
  },
  dispute_already_open: {
    status: 409,
    type: 'conflict_error',
    when: 'A second dispute of one job.',
    todo: 'Follow the first one with `GET /v1/jobs/<job_id>`.',
    retry: 'no',
  },
  webhook_limit_reached: {
    status: 409,
    type: 'conflict_error',
    when: 'The wallet has as many webhooks as it may have. `details` tells how many.',
    todo: 'Delete one that is no longer needed, or let one endpoint take more events.',
    retry: 'no',
  },
  answer_gone: {
    status: 410,
    type: 'not_found_error',
    when: 'The job has answered and is charged, but its text was lost on its way, or, for a retried request, is no longer kept; or the worker of a stream was lost, and what had arrived is no part of the answer that another one gave. `details` names the job.',
    todo: 'Send it as a new request, which is a new job: with another `Idempotency-Key`, or not as a retry. Where `message` says that the same key gets the answer, send it with that.',
    retry: 'no',
  },
  request_too_large: {
    status: 413,
    type: 'invalid_request_error',
    when: 'The body is larger than 4 MiB.',
    todo: 'Send less.',
    retry: 'no',
  },
  dispute_window_expired: {
    status: 422,
    type: 'invalid_request_error',
    when: 'A dispute arrived more than 60 seconds after the final output token. The window never extends.',
    todo: 'Compare hashes as soon as an answer is complete.',
    retry: 'no',
  },
  invalid_webhook_url: {
    status: 422,
    type: 'invalid_request_error',
    when: 'The `url` of a webhook is not one that deliveries can go to: it does not begin with `https://`, holds a user name or an odd port, or its host does not resolve or leads to an address that is private, loopback, link-local or otherwise not public.',
    todo: 'Change the URL as `message` says.',
    retry: 'no',
  },
  rate_limited: {
    status: 429,
    type: 'rate_limit_error',
    when: 'One IP address sent more requests in a burst than the API layer takes. There is no quota, and this says nothing of the capacity of the network. `GET /v1/events` answers it as well where too many clients listen to the events of one wallet, and then has no `details`.',
    todo: 'Spread requests out.',
    retry: 'wait',
  },
  headers_too_large: {
    status: 431,
    type: 'invalid_request_error',
    when: 'The headers of the request are larger than 16 KiB together.',
    todo: 'Send fewer or smaller headers.',
    retry: 'no',
  },
  internal_error: {
    status: 500,
    type: 'server_error',
    when: 'Something broke on our side, such as a worker lost in the middle of an answer. Credits of a job that failed are returned. In a stream it comes as an error event.',
    todo: 'Try again. If it stays, report the `x-request-id` of the answer.',
    retry: 'yes',
  },
  no_workers_available: {
    status: 503,
    type: 'capacity_error',
    when: 'No worker serves the model at the moment, or all that do are busy. Nothing was charged.',
    todo: 'Wait `details.retry_after` seconds, or use another model.',
    retry: 'wait',
  },
  service_unavailable: {
    status: 503,
    type: 'capacity_error',
    when: 'A part of the service does not answer at the moment, this host is going down, the settlement chain does not answer or is far behind, or new jobs are paused on it. Or the credits that the request needs are still on their way back from one that has just ended. Nothing was charged or done, unless `message` says that it may have been.',
    todo: 'Wait as the `retry-after` header says.',
    retry: 'wait',
  },
  job_timeout: {
    status: 504,
    type: 'timeout_error',
    when: 'No worker finished the job within 120 seconds. Its credits have been returned.',
    todo: 'Try again, or use another model.',
    retry: 'yes',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>

interface ErrorEntry {
  readonly status: number
  readonly type: `${string}_error`
  /** When it happens. Markdown with the default names of the service, as the next one. */
  readonly when: string
  /** What a caller does about it. */
  readonly todo: string
  /** Whether the same request may succeed later: `wait` as the retry-after header says. */
  readonly retry: 'no' | 'yes' | 'wait'
}

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

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ERRORS, type ErrorCode, type Refusal } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Log } from '../../telemetry/log.ts'
import { MALFORMED_JSON } from './json-body.ts'
import { throwAwayBody } from './unread-body.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** The code that it refuses with; `unexpected`: what was thrown is a fault of ours. */
    refusedAs?: string
  }
}

/** A refusal on its way out of a route. */
export class RefusalError extends Error {
  constructor(
    readonly refusal: Refusal,
    readonly options: RefusalOptions = {},
  ) {
    super(refusal.message)
  }
}

export interface RefusalOptions {
  /** Headers that go with this answer, such as those of the job it speaks of. */
  readonly headers?: Readonly<Record<string, string>>
}

export const refuse = (
  code: ErrorCode,
  message: string,
  more: Omit<Refusal, 'code' | 'message'> = {},
): RefusalError => new RefusalError({ code, message, ...more })

/** The error object that every failed request, and a stream that fails, carries. */
export function errorBody(refusal: Refusal, docsUrl: string, type?: string) {
  return {
    error: {
      code: refusal.code,
      // Words of the caller's own that it quotes may be cut in the middle of a character: strict parsers
      // refuse a text with half of a surrogate pair, and with it the whole answer.
      message: refusal.message.toWellFormed(),
      type: type ?? ERRORS[refusal.code].type,
      param: refusal.param ?? null,
      docs: `${docsUrl}/api-reference/errors#${refusal.code}`,
      ...(refusal.details ? { details: refusal.details } : {}),
    },
  }
}

/** Answers with a refusal. Of what is refused here, only `unknownModelPath` has a second status. */
export function sendRefusal(
  reply: FastifyReply,
  refusal: Refusal,
  docsUrl: string,
  options: RefusalOptions & { unknownModelPath?: boolean } = {},
): FastifyReply {
  const { status, type } = options.unknownModelPath
    ? ({ status: 404, type: 'not_found_error' } as const)
    : ERRORS[refusal.code]
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (options.headers) reply.headers(options.headers)
  return sendError(reply, status, errorBody(refusal, docsUrl, type))
}

/** Answers with an error object, and with the headers that go with its status. */
export function sendError(
  reply: FastifyReply,
  status: number,
  body: { readonly error: Pick<Refusal, 'details'> & { readonly code: string } },
): FastifyReply {
  reply.refusedAs ??= body.error.code
  // A client retries conflicts by itself; none of ours heals by a repetition.
  if (status === 409) reply.header('x-should-retry', 'false')
  if (status === 503 || status === 429) reply.header('retry-after', retryAfterSeconds(body.error))
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(body))
}

const RETRY_AFTER_SECONDS = 2

function retryAfterSeconds({ details }: Pick<Refusal, 'details'>): string {
  const seconds = Number(details?.retry_after ?? RETRY_AFTER_SECONDS)
  return String(Math.min(LIMITS.retryAfterSecondsMax, Math.max(1, Math.ceil(seconds))))
}

/** Fastify's error handler: whatever was thrown leaves in the one envelope. */
export function errorHandler(docsUrl: string, log: Log) {
  return async (
    error: FastifyError | RefusalError,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => {
    await throwAwayBody(request, reply)
    if (error instanceof RefusalError) {
      return sendRefusal(reply, error.refusal, docsUrl, error.options)
    }
    const refusal = refusalOf(error, request)
    if (refusal.code === 'internal_error') {
      log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'failed')
      reply.refusedAs = 'unexpected'
    }
    return sendRefusal(reply, refusal, docsUrl)
  }
}

function refusalOf(error: FastifyError, { routeOptions }: FastifyRequest): Refusal {
  if (error.validation) return validationRefusal(error.validation)
  if (error.statusCode === 413) {
    // The web app's own API takes less than the public one.
    const limit = sizeOf(routeOptions.bodyLimit ?? LIMITS.bodyBytesMax)
    return { code: 'request_too_large', message: `The request body is larger than ${limit}.` }
  }
  if (error.statusCode === 415) {
    const message = 'The body must be JSON: send it with `content-type: application/json`.'
    return { code: 'invalid_request', message }
  }
  if (error.code === MALFORMED_JSON) return { code: 'invalid_request', message: error.message }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return { code: 'invalid_request', message: unreadable(error) }
  }
  const message = 'Something broke on our side. Trying again usually succeeds.'
  return { code: 'internal_error', message }
}

const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`

/** Never in the framework's own words: some quote what was sent. */
function unreadable({ code }: FastifyError): string {
  if (code === 'FST_ERR_BAD_URL') {
    return (
      'The path cannot be decoded: a `%` must be followed by two hexadecimal digits, and what they say ' +
      'must be UTF-8.'
    )
  }
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') {
    return 'The body is not as long as its `content-length` header says.'
  }
  return 'The request cannot be read: its path, headers or body are not valid HTTP.'
}

type ValidationIssue = NonNullable<FastifyError['validation']>[number]

function validationRefusal(issues: readonly ValidationIssue[]): Refusal {
  const issue = issues[0]
  if (!issue) return { code: 'invalid_request', message: 'The body is not valid.' }
  const missing =
    issue.keyword === 'required' ? String(issue.params.missingProperty ?? '') : undefined
  const param = paramOf(issue.instancePath, missing)
  if (missing !== undefined) {
    return { code: 'invalid_request', message: `\`${param}\` is required.`, param }
  }
  const subject = param ? `\`${param}\`` : 'The body'
  const message = `${subject} ${issue.message ?? 'is not valid'}.`
  return { code: 'invalid_request', message, ...(param ? { param } : {}) }
}

/** `/messages/3/role` → `messages[3].role`. */
function paramOf(path: string, missing?: string): string {
  const parts = path.split('/').slice(1)
  if (missing !== undefined) parts.push(missing)
  return parts
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}

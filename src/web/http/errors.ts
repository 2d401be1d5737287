import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { errorHandler, type RefusalError, refuse, sendError } from '../../api/http/errors.ts'
import type { Refusal } from '../../domain/errors.ts'
import { isUnanswered } from '../../ports/bus.ts'
import type { Clock } from '../../ports/clock.ts'
import { ChainUnavailable } from '../../ports/escrow.ts'
import { RegistryUnanswered } from '../../ports/registry.ts'
import type { Log } from '../../telemetry/log.ts'
import { Seldom } from '../../telemetry/seldom.ts'

/** What only the web app's own API answers, beside the public table of errors. */
const WEB_ERRORS = {
  session_required: { status: 401, type: 'authentication_error' },
  sign_in_failed: { status: 401, type: 'authentication_error' },
  wrong_origin: { status: 403, type: 'permission_error' },
  other_wallet: { status: 409, type: 'conflict_error' },
  key_exists: { status: 409, type: 'conflict_error' },
  key_changed: { status: 409, type: 'conflict_error' },
  voucher_open: { status: 409, type: 'conflict_error' },
  request_id_taken: { status: 409, type: 'conflict_error' },
  not_offered: { status: 409, type: 'conflict_error' },
  delivery_not_found: { status: 404, type: 'not_found_error' },
  not_your_worker: { status: 403, type: 'permission_error' },
  worker_not_found: { status: 404, type: 'not_found_error' },
  deposit_refused: { status: 422, type: 'invalid_request_error' },
} as const
export type WebErrorCode = keyof typeof WEB_ERRORS

type WebRefusal = Omit<Refusal, 'code'> & { readonly code: WebErrorCode }

/** A refusal that the public API does not know. */
export class WebRefusalError extends Error {
  constructor(readonly refusal: WebRefusal) {
    super(refusal.message)
  }
}

export const refuseWeb = (
  code: WebErrorCode,
  message: string,
  more: Omit<Refusal, 'code' | 'message'> = {},
): WebRefusalError => new WebRefusalError({ code, message, ...more })

/** Whatever was thrown leaves in the one envelope. */
export function webErrorHandler(docsUrl: string, log: Log, clock: Pick<Clock, 'monotonic'>) {
  // Pages ask again and again, and some of it anybody may ask.
  const seldom = new Seldom(clock, log)
  const others = errorHandler(docsUrl, log)
  return async (
    error: FastifyError | RefusalError | WebRefusalError,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => {
    if (!(error instanceof WebRefusalError)) {
      const absence = absenceOf(error)
      if (!absence) return others(error, request, reply)
      const route = request.routeOptions.url
      seldom.warn({ err: error, requestId: request.id, route }, 'no answer', route)
      return others(absence, request, reply)
    }
    const { code, message, param = null, details } = error.refusal
    const { status, type } = WEB_ERRORS[code]
    const docs = `${docsUrl}/api-reference/errors`
    const body = { code, message, type, param, docs, ...(details ? { details } : {}) }
    return sendError(reply, status, { error: body })
  }
}

/** What does not answer now and will again. */
function absenceOf(error: Error): RefusalError | undefined {
  if (error instanceof ChainUnavailable) {
    return refuse('service_unavailable', 'The settlement chain does not answer; try again shortly.')
  }
  if (isUnanswered(error) || error instanceof RegistryUnanswered) {
    return refuse(
      'service_unavailable',
      'A part of the service does not answer; try again shortly.',
    )
  }
  return undefined
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Balances } from '../../api/balances.ts'
import { assert } from '../../domain/result.ts'
import { HEADERS } from '../http/service-headers.ts'
import type { Auth, Caller } from './auth.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
}

/** Every route of this scope needs a key, checked before the body is read. */
export function requireCaller(server: FastifyInstance, auth: Auth, balances: Balances): void {
  server.decorateRequest('caller', null)
  server.addHook('onRequest', async (request) => {
    request.caller = await auth.authenticate(request.headers.authorization)
  })
  // Every authenticated answer tells the balance, refusals too.
  server.addHook('onSend', async (request, reply) => {
    if (request.caller === null || reply.hasHeader(HEADERS.creditsRemaining)) return
    const remaining = await balances.glance(request.caller.wallet)
    if (remaining !== undefined) reply.header(HEADERS.creditsRemaining, String(remaining))
  })
}

export function callerOf(request: FastifyRequest): Caller {
  assert(request.caller, 'a route that needs a caller stands outside the authenticated scope')
  return request.caller
}

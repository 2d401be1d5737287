import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Balances } from '../../api/balances.ts'
import { assert } from '../../domain/result.ts'
import type { ServiceNames } from '../../domain/service-names.ts'
import { type Auth, type Caller, SuspendedKey } from './auth.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
}

interface Options {
  readonly auth: Auth
  readonly balances: Balances
  readonly names: ServiceNames
}

/** Every route of this scope needs a key, checked before the body is read. */
export function requireCaller(server: FastifyInstance, options: Options): void {
  const { creditsRemaining } = options.names.headers
  server.decorateRequest('caller', null)
  server.addHook('onRequest', async (request) => {
    request.caller = await options.auth
      .authenticate(request.headers.authorization)
      .catch((error: unknown) => {
        request.caller = callerOfSuspended(error) ?? null
        throw error
      })
  })
  // Every authenticated answer tells the balance, refusals too.
  server.addHook('onSend', async ({ caller }, reply) => {
    if (caller && !reply.hasHeader(creditsRemaining)) await tell(caller, reply, options)
  })
}

/** A path or method that is none is refused before the key is looked at; a key that is one tells the balance. */
export function tellStrays(server: FastifyInstance, options: Options): void {
  server.addHook('onSend', async (request, reply) => {
    const { authorization } = request.headers
    if (!authorization || !STRAYED.has(reply.statusCode) || 'caller' in request) return
    const caller = await options.auth.authenticate(authorization).catch(callerOfSuspended)
    if (caller) await tell(caller, reply, options)
  })
}

const callerOfSuspended = (error: unknown): Caller | undefined =>
  error instanceof SuspendedKey ? error.caller : undefined

const STRAYED: ReadonlySet<number> = new Set([404, 405])

async function tell(
  { wallet }: Caller,
  reply: FastifyReply,
  { balances, names }: Options,
): Promise<void> {
  const remaining = await balances.glance(wallet)
  if (remaining !== undefined) reply.header(names.headers.creditsRemaining, String(remaining))
}

export function callerOf(request: FastifyRequest): Caller {
  assert(request.caller, 'a route that needs a caller stands outside the authenticated scope')
  return request.caller
}

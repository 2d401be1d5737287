import type { FastifyInstance } from 'fastify'
import type { Balances } from '../../api/balances.ts'
import { callerOf } from '../callers/caller.ts'
import { publicAccount } from '../callers/public-account.ts'
import { HEADERS } from '../http/service-headers.ts'
import { retrieveAccount } from '../openapi/operations.ts'

export function account(server: FastifyInstance, { balances }: { balances: Balances }): void {
  server.get('/v1/account', { config: { operation: retrieveAccount } }, async (request, reply) => {
    const caller = callerOf(request)
    const balance = await balances.read(caller.wallet)
    reply.header(HEADERS.creditsRemaining, String(balance.remaining))
    return publicAccount(caller, balance)
  })
}

import type { FastifyInstance } from 'fastify'
import type { Balances } from '../../api/balances.ts'
import type { ServiceNames } from '../../domain/service-names.ts'
import { callerOf } from '../callers/caller.ts'
import { publicAccount } from '../callers/public-account.ts'
import { retrieveAccount } from '../openapi/operations.ts'

interface Options {
  readonly balances: Balances
  readonly names: ServiceNames
}

export function account(server: FastifyInstance, { balances, names }: Options): void {
  server.get('/v1/account', { config: { operation: retrieveAccount } }, async (request, reply) => {
    const caller = callerOf(request)
    const balance = await balances.read(caller.wallet)
    reply.header(names.headers.creditsRemaining, String(balance.remaining))
    return publicAccount(caller, balance)
  })
}

import type { FastifyInstance } from 'fastify'
import type { Balances } from '../balances.ts'
import { callerOf } from '../caller.ts'
import { publicAccount } from '../public-account.ts'
import { HEADERS } from '../service-headers.ts'

export function account(server: FastifyInstance, { balances }: { balances: Balances }): void {
  server.get('/v1/account', async (request, reply) => {
    const caller = callerOf(request)
    const balance = await balances.read(caller.wallet)
    reply.header(HEADERS.creditsRemaining, String(balance.remaining))
    return publicAccount(caller, balance)
  })
}

import type { FastifyInstance } from 'fastify'
import { refuse } from '../../api/http/errors.ts'
import type { AskDepositAddress, DepositAddressReply } from '../../messages/keeper.ts'
import { SUBJECTS } from '../../messages/subjects.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Log } from '../../telemetry/log.ts'
import type { DepositAddress } from '../api.ts'
import { sessionOf } from '../sessions/signed-in.ts'

interface Options {
  readonly bus: Bus
  readonly log: Log
}

const ANSWER_MS = 5_000

/** Told by who watches it: an address that nobody watches would keep the money for itself. */
export function depositAddress(server: FastifyInstance, { bus, log }: Options): void {
  server.get('/api/deposit-address', async (request): Promise<DepositAddress> => {
    const { wallet } = sessionOf(request)
    const ask: AskDepositAddress = { wallet }
    const reply = await bus
      .request<DepositAddressReply>(SUBJECTS.depositAddress, ask, ANSWER_MS)
      .catch((error: unknown): DepositAddressReply => {
        return { type: 'unavailable', reason: String(error) }
      })
    if (reply.type === 'unavailable') {
      log.warn({ wallet, reason: reply.reason }, 'deposit address: not known')
      throw refuse(
        'service_unavailable',
        'Your deposit address cannot be told at the moment; try again. Send nothing before you see it.',
      )
    }
    return {
      address: reply.address,
      pending_credits: Number(reply.pendingCredits),
      minimum_credits: Number(reply.minimumCredits),
    }
  })
}

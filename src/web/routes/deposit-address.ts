import type { FastifyInstance } from 'fastify'
import { refuse } from '../../api/http/errors.ts'
import type { AskDepositAddress, DepositAddressReply } from '../../messages/keeper.ts'
import { SUBJECTS } from '../../messages/subjects.ts'
import type { Bus } from '../../ports/bus.ts'
import type { WalletReader } from '../../ports/web-chain.ts'
import type { Log } from '../../telemetry/log.ts'
import type { DepositAddress, WebConfig } from '../api.ts'
import { sessionOf } from '../sessions/signed-in.ts'

interface Options {
  readonly bus: Bus
  readonly reader: Pick<WalletReader, 'depositAddress'>
  readonly config: Pick<WebConfig, 'chain' | 'contracts'>
  readonly log: Log
}

const ANSWER_MS = 5_000

/** Told by who watches it: an address that nobody watches would keep the money for itself. */
export function depositAddress(server: FastifyInstance, options: Options): void {
  const { bus, reader, config, log } = options
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
      throw notTold()
    }
    // While an operator moves to other contracts, one of the two may still be at the old ones.
    const expected = reader.depositAddress(wallet)
    if (reply.address !== expected) {
      const about = { wallet, told: reply.address, expected }
      log.warn(about, 'deposit address: the keeper works with other contracts')
      throw notTold()
    }
    return {
      address: reply.address,
      chain_id: config.chain.id,
      usdg: config.contracts.usdg,
      pending_credits: Number(reply.pendingCredits),
      minimum_credits: Number(reply.minimumCredits),
    }
  })
}

const notTold = () =>
  refuse(
    'service_unavailable',
    'Your deposit address cannot be told at the moment; try again. Send nothing before you see it.',
  )

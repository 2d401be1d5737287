import type { FastifyInstance } from 'fastify'
import type { Balances } from '../../api/balances.ts'
import type { JobHistory } from '../../api/jobs/job-history.ts'
import { UNITS_PER_CREDIT, usdgValue } from '../../domain/credits.ts'
import { type DurationMs, isoTimestamp } from '../../domain/time.ts'
import type { WalletReader } from '../../ports/web-chain.ts'
import { readHeld } from '../account/held.ts'
import type { WebAccount } from '../api.ts'
import { sessionOf } from '../sessions/signed-in.ts'

interface Options {
  readonly balances: Balances
  readonly history: JobHistory
  readonly reader: WalletReader
  readonly jobWindowMs: DurationMs
}

export function account(server: FastifyInstance, options: Options): void {
  const { balances, reader } = options
  server.get('/api/account', async (request): Promise<WebAccount> => {
    const { wallet } = sessionOf(request)
    const [balance, held, thawing, arriving] = await Promise.all([
      balances.read(wallet),
      readHeld(options, wallet),
      reader.thawing(wallet),
      reader.tokensOf(reader.depositAddress(wallet)),
    ])
    const { remaining, lastTopupAt } = balance
    return {
      wallet,
      credits_remaining: Number(remaining),
      usdg_value: usdgValue(remaining),
      last_topup_at: lastTopupAt === null ? null : isoTimestamp(lastTopupAt),
      ...held,
      thawing: {
        credits: Number(thawing.credits),
        ends_at: thawing.endsAt === null ? null : isoTimestamp(thawing.endsAt),
      },
      arriving_credits: Number(arriving / UNITS_PER_CREDIT),
    }
  })
}

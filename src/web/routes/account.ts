import type { FastifyInstance } from 'fastify'
import type { Balances } from '../../api/balances.ts'
import type { JobHistory } from '../../api/jobs/job-history.ts'
import { UNITS_PER_CREDIT, usdgValue } from '../../domain/credits.ts'
import { type DurationMs, isoTimestamp } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { WalletReader } from '../../ports/web-chain.ts'
import type { Log } from '../../telemetry/log.ts'
import { readHeld } from '../account/held.ts'
import { toldByChain } from '../account/told-by-chain.ts'
import type { WebAccount } from '../api.ts'
import { sessionOf } from '../sessions/signed-in.ts'

interface Options {
  readonly balances: Balances
  readonly history: JobHistory
  readonly reader: WalletReader
  readonly jobWindowMs: DurationMs
  readonly clock: Clock
  readonly log: Log
}

/** Without the chain, what the ledger and the jobs say is told all the same. */
export function account(server: FastifyInstance, options: Options): void {
  const { balances, reader } = options
  server.get('/api/account', async (request): Promise<WebAccount> => {
    const { wallet } = sessionOf(request)
    const [balance, held, thawing, arriving] = await Promise.all([
      balances.read(wallet),
      readHeld(options, wallet),
      toldByChain(options, reader.thawing(wallet)),
      toldByChain(options, reader.tokensOf(reader.depositAddress(wallet))),
    ])
    const { remaining, lastTopupAt } = balance
    return {
      wallet,
      credits_remaining: Number(remaining),
      usdg_value: usdgValue(remaining),
      last_topup_at: lastTopupAt === null ? null : isoTimestamp(lastTopupAt),
      ...held,
      thawing: thawing && {
        credits: Number(thawing.credits),
        ends_at: thawing.endsAt === null ? null : isoTimestamp(thawing.endsAt),
      },
      arriving_credits: arriving === null ? null : Number(arriving / UNITS_PER_CREDIT),
    }
  })
}

import type { FastifyInstance } from 'fastify'
import { UNITS_PER_CREDIT } from '../../domain/credits.ts'
import type { Faucet } from '../../ports/web-chain.ts'
import type { TestFunds } from '../api.ts'
import { sessionOf } from '../sessions/signed-in.ts'

/** Exists on development networks only. */
export function development(server: FastifyInstance, { faucet }: { faucet: Faucet }): void {
  server.post('/api/development/fund', async (request): Promise<TestFunds> => {
    const { tx, held } = await faucet.fund(sessionOf(request).wallet)
    return { tx, usdg_value: Number(held / (UNITS_PER_CREDIT / 100n)) / 1e4 }
  })
}

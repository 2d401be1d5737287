import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { UNITS_PER_CREDIT } from '../../domain/credits.ts'
import { toAddress } from '../../domain/ids.ts'
import type { Faucet } from '../../ports/web-chain.ts'
import type { TestFunds } from '../api.ts'

const fundBody = Type.Object({ wallet: Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }) })

/** Exists on development networks only. Nobody signs in to stake or to vote, so nobody has to here. */
export function development(server: FastifyInstance, { faucet }: { faucet: Faucet }): void {
  server.post<{ Body: Static<typeof fundBody> }>(
    '/api/development/fund',
    { schema: { body: fundBody } },
    async (request): Promise<TestFunds> => {
      const { tx, held } = await faucet.fund(toAddress(request.body.wallet))
      return { tx, usdg_value: Number(held / (UNITS_PER_CREDIT / 100n)) / 1e4 }
    },
  )
}

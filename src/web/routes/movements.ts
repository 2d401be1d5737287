import type { FastifyInstance } from 'fastify'
import { refuse } from '../../api/http/errors.ts'
import { usdgValue } from '../../domain/credits.ts'
import { isoTimestamp } from '../../domain/time.ts'
import type { ChainMovement, LogPlace, WalletReader } from '../../ports/web-chain.ts'
import type { Movement, MovementsPage } from '../api.ts'
import { limitOf, type Query } from '../http/limit.ts'
import { sessionOf } from '../sessions/signed-in.ts'

/** Purchases and withdrawals, as the chain tells them. */
export function movements(server: FastifyInstance, { reader }: { reader: WalletReader }): void {
  server.get<{ Querystring: Query }>(
    '/api/account/movements',
    async (request): Promise<MovementsPage> => {
      const { wallet } = sessionOf(request)
      const limit = limitOf(request.query)
      const query = { wallet, limit, before: placeOf(request.query.before) }
      const { movements, next } = await reader.movements(query)
      return {
        data: movements.map(publicMovement),
        has_more: next !== null,
        next_cursor: next === null ? null : `${next.block}.${next.logIndex}`,
      }
    },
  )
}

function placeOf(text: Query[string]): LogPlace | undefined {
  if (text === undefined) return undefined
  const [, block, logIndex] = /^(\d{1,15})\.(\d{1,9})$/.exec(String(text)) ?? []
  if (block && logIndex) return { block: Number(block), logIndex: Number(logIndex) }
  const message = '`before` must be a `next_cursor` of an earlier answer.'
  throw refuse('invalid_request', message, { param: 'before' })
}

const publicMovement = (movement: ChainMovement): Movement => ({
  type: movement.type,
  credits: Number(movement.credits),
  usdg_value: usdgValue(movement.credits),
  tx: movement.tx,
  block_number: movement.block,
  at: isoTimestamp(movement.at),
  counterparty: movement.counterparty,
})

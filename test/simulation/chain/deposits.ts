import type { Deposit } from '../endpoints/judge-contents.ts'
import type { SimBlock } from './blocks.ts'

/** In order. @param dueFrom the block before the first one that webhooks are to hear of */
export const depositsOf = (blocks: readonly SimBlock[], dueFrom: number): readonly Deposit[] =>
  blocks.flatMap(({ number, included }) =>
    included.flatMap(({ transaction: { hash: tx }, logs }) =>
      logs.flatMap((log) => {
        if (log.name !== 'fact' || log.fact.type !== 'deposited') return []
        const { wallet, credits } = log.fact
        return [{ wallet, tx, credits, isDue: number > dueFrom }]
      }),
    ),
  )

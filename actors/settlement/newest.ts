import type { Hex32 } from '../../src/domain/ids.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { type EscrowReader, NonceGap, type Receipt } from '../../src/ports/escrow.ts'
import type { UntilChain } from './until-chain.ts'

/** The block of what a lane has got into one last: where the chain has another one there, it has gone back. */
export interface Newest {
  is(receipt: Receipt): void
  /** @throws {NonceGap} once for each block */
  check(): Promise<void>
}

interface Options {
  readonly reader: Pick<EscrowReader, 'block'>
  readonly untilChain: UntilChain
  readonly clock: Clock
}

/** A block that is so old stays: a lane that rests for days need not ask for it. */
const LOOKED_AT_MS = 900_000

export function makeNewest({ reader, untilChain, clock }: Options): Newest {
  let newest: { readonly block: number; readonly hash: Hex32; readonly at: number } | undefined
  return {
    is: ({ block, facts }) => {
      const hash = facts[0]?.blockHash
      newest = hash && { block, hash, at: clock.monotonic() }
    },
    check: async () => {
      if (!newest) return
      const { block: number, hash, at } = newest
      if (clock.monotonic() - at > LOOKED_AT_MS) newest = undefined
      const block = await untilChain(() => reader.block(number))
      // None: a node that lags, or a chain that has gone back farther and will come to it.
      if (!block || block.hash === hash) return
      newest = undefined
      throw new NonceGap(`block ${number} was ${hash}, and is ${block.hash}`)
    },
  }
}

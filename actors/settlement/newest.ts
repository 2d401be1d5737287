import type { Hex32 } from '../../src/domain/ids.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { type EscrowReader, NonceGap, type Receipt } from '../../src/ports/escrow.ts'
import type { UntilChain } from './until-chain.ts'

/**
 * The blocks of what a lane has got into some since it looked last: where the chain has another one there, it has
 * gone back. Not of the newest alone, which may be of after that.
 */
export interface Newest {
  is(receipt: Receipt): void
  /** @throws {NonceGap} once for each time that it has gone back */
  check(): Promise<void>
}

interface Options {
  readonly reader: Pick<EscrowReader, 'block'>
  readonly untilChain: UntilChain
  readonly clock: Clock
}

interface Got {
  readonly number: number
  readonly hash: Hex32
  readonly at: number
}

/** A block that is so old stays: a lane that rests for days need not ask for it. */
const LOOKED_AT_MS = 900_000
/** As far back as reorgs are healed. */
const BLOCKS = 64

export function makeNewest({ reader, untilChain, clock }: Options): Newest {
  /** Oldest first. */
  let got: readonly Got[] = []
  return {
    is: ({ block: number, facts }) => {
      const hash = facts[0]?.blockHash
      if (hash && got.at(-1)?.hash !== hash) {
        got = [...got, { number, hash, at: clock.monotonic() }].slice(-BLOCKS)
      }
    },
    check: async () => {
      const asked = got
      // As long as it stands, so do those before it.
      got = asked.slice(-1).filter(({ at }) => clock.monotonic() - at <= LOOKED_AT_MS)
      const look = ({ number }: Got) => untilChain(() => reader.block(number))
      const blocks = await Promise.all(asked.map(look))
      for (const [i, { number, hash }] of asked.entries()) {
        const block = blocks[i]
        // None: a node that lags, or a chain that has gone back farther and will come to it.
        if (!block || block.hash === hash) continue
        got = []
        throw new NonceGap(`block ${number} was ${hash}, and is ${block.hash}`)
      }
    },
  }
}

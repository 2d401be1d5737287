import type { Address } from '../../src/domain/ids.ts'
import type { DurationMs } from '../../src/domain/time.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { KeeperReader } from '../../src/ports/keeper.ts'

/** Hears of tokens that arrive at deposit addresses. */
export interface Arrivals {
  /** Of transfers in the blocks since the last call, up to `head`; `final` is the last that counts. */
  listen(head: number, final: number): Promise<void>
}

interface Options {
  readonly reader: Pick<KeeperReader, 'arrivals'>
  /** Those that are listened to: a set that grows. */
  readonly addresses: ReadonlySet<Address>
  readonly clock: Clock
  arrived(address: Address): void
}

/**
 * A node that lags tells of no transfer in blocks that it lacks, and of no tokens that came in them; and another
 * block may come in the place of one that does not count yet. So each block is heard of once more, so much later
 * and once it counts, and where tokens came to is looked at once more.
 */
export const SECOND_TIME_MS: DurationMs = 20_000

export function makeArrivals({ reader, addresses, clock, arrived }: Options): Arrivals {
  let heardUpTo: number | undefined
  let heardTwiceUpTo: number | undefined
  let secondTime: { readonly upTo: number; readonly at: number } | undefined

  const hear = async (after: number, upTo: number) => {
    if (after >= upTo) return
    for (const address of await reader.arrivals(after + 1, upTo, addresses)) arrived(address)
  }

  const hearAgain = async (head: number, final: number) => {
    heardTwiceUpTo = Math.min(heardTwiceUpTo ?? head, head)
    const now = clock.monotonic()
    if (secondTime && secondTime.at <= now) {
      const upTo = Math.min(secondTime.upTo, final)
      await hear(heardTwiceUpTo, upTo)
      heardTwiceUpTo = Math.max(heardTwiceUpTo, upTo)
      secondTime = undefined
    }
    if (head > heardTwiceUpTo) secondTime ??= { upTo: head, at: now + SECOND_TIME_MS }
  }

  return {
    listen: async (head, final) => {
      // Before its first look at an address nothing needs to be heard of it.
      await hear(Math.min(heardUpTo ?? head, head), head)
      heardUpTo = head
      await hearAgain(head, final)
    },
  }
}

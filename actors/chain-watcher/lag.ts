import { endOf, LAG_MAX_MS, type Trail, upTo } from '../../src/domain/block-trail.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Block, EscrowReader } from '../../src/ports/escrow.ts'

/**
 * Tells a node that lags from a chain that has gone back, which looks the same at first: its head is
 * before the end of the trail. A ledger forgets its reservations for a real reorg only.
 * @returns whether this head is to be passed over, for now
 */
export function makeLag(reader: EscrowReader, clock: Clock) {
  let since: number | undefined
  return async (head: Block, trail: Trail): Promise<boolean> => {
    if (!(await isOld(reader, trail, head))) {
      since = undefined
      return false
    }
    since ??= clock.monotonic()
    return clock.monotonic() - since < LAG_MAX_MS
  }
}

/** Whether `head` is before the end of the trail and may be of its chain: of a node that lags. */
async function isOld(reader: EscrowReader, trail: Trail, head: Block): Promise<boolean> {
  const last = endOf(trail)
  if (!last || head.number >= last.block) return false
  // Not every block is in the trail: the newest of those that this head comes after speaks for it.
  const seen = endOf(upTo(trail, head.number))
  // A trail that has just begun may hold none of them: then only time tells.
  if (!seen) return true
  if (seen.block === head.number) return seen.hash === head.hash
  return (await reader.block(seen.block))?.hash === seen.hash
}

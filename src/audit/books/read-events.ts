import { parseEventLogs } from 'viem'
import { escrowEvents } from '../chain/abi.ts'
import type { Chain } from '../chain/connect.ts'
import { ChainBooks } from './chain-books.ts'
import type { Difference } from './difference.ts'
import { unknownEvents } from './known-events.ts'

/** The escrow's events up to a block. */
export interface EventsRead {
  readonly books: ChainBooks
  /** Events that the auditor knows no name for. */
  readonly unknown: readonly Difference[]
  readonly until: { readonly number: bigint; readonly hash: `0x${string}` }
}

/**
 * Reads up to the newest block. All events take long to read, and a node without history has forgotten
 * that block by then: what was read `before` is gone on with, so that only what came since is asked for.
 */
export async function readOn(chain: Chain, before?: EventsRead): Promise<EventsRead> {
  const [head, isStill] = await Promise.all([chain.client.getBlock(), isOnChain(chain, before)])
  // Of several nodes one may lag: its head is older than what was read, and the books cannot go back.
  const known = isStill && before && before.until.number <= head.number ? before : undefined
  const logs = await chain.logs(chain.escrow, [], {
    ...(known && { from: known.until.number + 1n }),
    until: head.number,
  })
  const books = known?.books ?? new ChainBooks()
  for (const event of parseEventLogs({ abi: escrowEvents, logs })) books.enter(event)
  const unknown = [...(known?.unknown ?? []), ...unknownEvents(logs)]
  return { books, unknown, until: { number: head.number, hash: head.hash } }
}

/** Whether no reorg has taken what was read. */
async function isOnChain({ client }: Chain, read?: EventsRead): Promise<boolean> {
  if (!read) return false
  const { number, hash } = read.until
  return (await client.getBlock({ blockNumber: number })).hash === hash
}

import type { WebConfig } from '../../api.ts'
import type { ChainEvent } from './events.ts'
import { type EventPage, type LogSearch, nameOf, readEventsBack, readHead } from './logs.ts'

interface Known extends EventPage {
  /** The latest block that was read. */
  readonly head: bigint
}

/** By node and search, for as long as the page is open. */
const read = new Map<string, Known>()

/** Blocks that may still be replaced are read again. */
const MAY_CHANGE = 64n

/**
 * Events from the latest block back, for those that somebody may wait for over days: one look reaches only so
 * far, so each reads what is new and goes on where the last one ended.
 */
export async function readHistory(
  web: WebConfig,
  search: LogSearch,
  enough: number,
): Promise<EventPage> {
  const name = nameOf(web, search)
  const known = read.get(name)
  const head = await readHead(web)
  const now = known
    ? await goOn(web, search, { known, head, enough })
    : { head, ...(await readEventsBack(web, search, { enough, before: head })) }
  const kept = { ...now, events: withoutSurplus(now, enough) }
  read.set(name, kept)
  return kept
}

/** A page may be open for days. One more than is enough says that there are more. */
function withoutSurplus({ events, head }: Known, enough: number): readonly ChainEvent[] {
  let older = 0
  return events.filter(({ block }) => block > head - MAY_CHANGE || older++ <= enough)
}

interface Look {
  readonly known: Known
  readonly head: bigint
  readonly enough: number
}

async function goOn(web: WebConfig, search: LogSearch, { known, head, enough }: Look) {
  const settled = known.head - MAY_CHANGE
  const from = known.next !== null && known.next > settled ? known.next : settled
  // A node that lags so far has nothing new to tell.
  if (head <= from) return known
  const oldest = BigInt(web.contracts.deploy_block)
  const downTo = from < oldest ? oldest : from + 1n
  const all = { enough: Number.POSITIVE_INFINITY, before: head, downTo }
  const newer = await readEventsBack(web, search, all)
  // Nobody looked for long, and one look does not close the gap.
  if (newer.next !== null) return { head, ...newer }
  const events = [...newer.events, ...known.events.filter(({ block }) => block <= from)]
  const missing = enough - events.length
  if (known.next === null || missing <= 0) return { head, events, next: known.next }
  const older = await readEventsBack(web, search, { enough: missing, before: known.next })
  return { head, events: [...events, ...older.events], next: older.next }
}

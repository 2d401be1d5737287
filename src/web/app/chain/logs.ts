import {
  type Address,
  type Hex,
  HttpRequestError,
  numberToHex,
  type PublicClient,
  TimeoutError,
} from 'viem'
import type { WebConfig } from '../../api.ts'
import { type ChainEvent, eventOf, isLaterFirst } from './events.ts'
import { readerOf } from './reader.ts'

/** Alternatives are in a list; null takes any. */
type Topics = readonly (Hex | readonly Hex[] | null)[]

export interface LogSearch {
  readonly address: readonly Address[]
  /** An event is found that matches any of them. */
  readonly topics: readonly Topics[]
}

export interface EventPage {
  /** Newest first. */
  readonly events: readonly ChainEvent[]
  /** The block to go on back from; null: there is nothing older. */
  readonly next: bigint | null
}

/** How many ranges one page reads at most: then it ends, and says where to go on. */
const READS_MAX = 8
const SPAN_MAX = 50_000n
/** A node that refuses so few blocks refuses for another reason. */
const SPAN_MIN = 100n

/**
 * Reads events backwards until there are `enough`, in ranges as wide as the node answers.
 * @param before the block to begin at; undefined: the latest
 */
export async function readEventsBack(
  web: WebConfig,
  search: LogSearch,
  { enough, before }: { readonly enough: number; readonly before: bigint | undefined },
): Promise<EventPage> {
  const client = readerOf(web)
  const oldest = BigInt(web.contracts.deploy_block)
  const events: ChainEvent[] = []
  let to = before ?? (await client.getBlockNumber({ cacheTime: 0 }))
  let span = SPAN_MAX
  for (let reads = 0; reads < READS_MAX && to >= oldest && events.length < enough; ) {
    const from = to - span + 1n > oldest ? to - span + 1n : oldest
    try {
      events.push(...(await readRange(web, client, search, from, to)))
    } catch (error) {
      if (isSilence(error) || to - from < SPAN_MIN) throw error
      span = (to - from + 1n) / 2n
      continue
    }
    to = from - 1n
    reads++
  }
  return { events, next: to >= oldest ? to : null }
}

async function readRange(
  web: WebConfig,
  client: PublicClient,
  { address, topics }: LogSearch,
  from: bigint,
  to: bigint,
): Promise<readonly ChainEvent[]> {
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  const found = await Promise.all(
    topics.map((each) =>
      client.request({
        method: 'eth_getLogs',
        params: [{ address: [...address], topics: each as Hex[], ...range }],
      }),
    ),
  )
  const byPlace = new Map<string, ChainEvent>()
  for (const log of found.flat()) {
    const event = eventOf(web, log)
    if (event) byPlace.set(`${event.block}.${event.logIndex}`, event)
  }
  return [...byPlace.values()].sort(isLaterFirst)
}

/** Smaller questions do not help a node that does not answer. */
const isSilence = (error: unknown): boolean =>
  error instanceof HttpRequestError || error instanceof TimeoutError

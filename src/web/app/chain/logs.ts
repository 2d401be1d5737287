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

export interface Reading {
  readonly enough: number
  /** The block to begin at; undefined: the latest. */
  readonly before: bigint | undefined
  /** The last block that is wanted; undefined: that of the deployment. */
  readonly downTo?: bigint
  /** The name of the event that comes before all others: nothing older is looked for. */
  readonly first?: string
}

/** What the node has answered of each search: found out once, since some take a second to refuse. */
const spans = new Map<string, bigint>()
export const nameOf = (web: WebConfig, search: LogSearch): string =>
  JSON.stringify([web.chain.rpc_url, search])

/** Reads events backwards until there are `enough`, in ranges as wide as the node answers. */
export async function readEventsBack(
  web: WebConfig,
  search: LogSearch,
  { enough, before, first, downTo: oldest = BigInt(web.contracts.deploy_block) }: Reading,
): Promise<EventPage> {
  const client = readerOf(web)
  const events: ChainEvent[] = []
  const isBegun = () => first !== undefined && events.some(({ name }) => name === first)
  let to = before ?? (await readHead(web))
  const name = nameOf(web, search)
  let span = spans.get(name) ?? SPAN_MAX
  let isLess = false
  for (let reads = 0; reads < READS_MAX && to >= oldest && events.length < enough; ) {
    if (isBegun()) break
    const from = to - span + 1n > oldest ? to - span + 1n : oldest
    try {
      events.push(...(await readRange(web, client, search, from, to)))
    } catch (error) {
      if (isSilence(error) || to - from < SPAN_MIN) throw error
      isLess = true
      span = (to - from + 1n) / 2n
      continue
    }
    // Not before: one that refuses everything for a moment would be asked for little for ever.
    if (isLess) spans.set(name, span)
    to = from - 1n
    reads++
  }
  return { events, next: to >= oldest && !isBegun() ? to : null }
}

export const readHead = (web: WebConfig): Promise<bigint> =>
  readerOf(web).getBlockNumber({ cacheTime: 0 })

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

import { Redis } from 'ioredis'
import { placeOf, redisAddress } from '../address.ts'
import { CannotTell, reasonOf } from '../cannot-tell.ts'
import { type Difference, differ } from './difference.ts'
import { toldByView } from './packed.ts'
import type { Position } from './position.ts'
import type { Told } from './told.ts'

/** One wallet as the service believes it to be. Credits. */
export interface LedgerWallet {
  readonly wallet: string
  readonly available: bigint
  readonly locked: bigint
  readonly reserved: bigint
  /** Up to here the chain is in it. */
  readonly at: Position
  readonly holds: readonly Hold[]
}

export interface Hold {
  /** Of a job, or of the wallet's withdrawal. */
  readonly for: string
  readonly kind: 'reserved' | 'locked' | 'withdrawal'
  readonly credits: bigint
}

export interface ViewsReading {
  readonly views: ReadonlyMap<string, Told>
  /** Whether the service holds its views for complete. */
  readonly isComplete: boolean
  readonly wallets: readonly LedgerWallet[]
  readonly differences: readonly Difference[]
}

const PATIENCE_MS = 10_000

/** Reads the service's views: they may be forgotten at any time, but what they say must be true. */
export async function readViews(url: string): Promise<ViewsReading> {
  const redis = new Redis(redisAddress(url), {
    lazyConnect: true,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  // The calls say that it is closed, and not why.
  let why: unknown
  redis.on('error', (error) => {
    why = error
  })
  try {
    await redis.connect()
    const life = /^run_id:(\w+)/m.exec(await redis.info('server'))?.[1]
    const isComplete = (await redis.hget('jobs', 'g')) === life
    const wallets: LedgerWallet[] = []
    for (const key of await keysOf(redis, 'w:{*}')) {
      const wallet = await readWallet(redis, key.slice(3, -1), life)
      if (wallet) wallets.push(wallet)
    }
    return { ...(await readJobs(redis)), isComplete, wallets }
  } catch (error) {
    throw new CannotTell(
      `Redis at ${placeOf(url)} did not answer (${reasonOf(why ?? error)}): name it with --redis URL`,
      { cause: error },
    )
  } finally {
    redis.disconnect()
  }
}

const WITHDRAWAL = 'withdrawal'
/** What stands among the holds and is none. */
const NOTES: ReadonlySet<string> = new Set(['withdrawal_after', 'returning'])

/** Undefined: the service does not believe it either. */
async function readWallet(
  redis: Redis,
  wallet: string,
  life: string | undefined,
): Promise<LedgerWallet | undefined> {
  const both = await redis.multi().hgetall(`w:{${wallet}}`).hgetall(`h:{${wallet}}`).exec()
  const [fields, holds] = (both ?? []).map(([, value]) => value as Record<string, string>)
  if (fields?.a === undefined || fields.k === undefined || fields.g !== life) return undefined
  return {
    wallet,
    available: BigInt(fields.a),
    locked: BigInt(fields.k),
    reserved: BigInt(fields.r ?? '0'),
    at: { block: Number(fields.b), index: Number(fields.i) },
    holds: Object.entries(holds ?? {})
      .filter(([name]) => !NOTES.has(name))
      .map(([name, value]) => ({
        for: name,
        kind: name === WITHDRAWAL ? name : value.startsWith('r') ? 'reserved' : 'locked',
        credits: BigInt(value.slice(1)),
      })),
  }
}

const LIST_KEY = /^jl:\{(0x[0-9a-f]{40})\}:(\d):\d+$/

async function readJobs(redis: Redis): Promise<Pick<ViewsReading, 'views' | 'differences'>> {
  const views = new Map<string, Told>()
  const differences: Difference[] = []
  for (const key of await keysOf(redis, 'jl:{*')) {
    const [, wallet, status] = LIST_KEY.exec(key) ?? []
    if (!wallet) continue
    for (const member of await redis.zrangeBuffer(key, '0', '-1')) {
      try {
        const told = toldByView(member, wallet, Number(status))
        const twice = views.has(told.jobId)
        if (twice) differences.push(differ(told.jobId, 'is in two lists of the views'))
        views.set(told.jobId, told)
      } catch {
        differences.push(differ(wallet, `its view holds something in ${key} that cannot be read`))
      }
    }
  }
  return { views, differences }
}

async function keysOf(redis: Redis, match: string): Promise<string[]> {
  const found = new Set<string>()
  for await (const keys of redis.scanStream({ match, count: 1_000 })) {
    for (const key of keys as string[]) found.add(key)
  }
  return [...found]
}

import { Redis } from 'ioredis'
import type { BurstBuckets } from '../ports/burst-buckets.ts'
import type { JobViews } from '../ports/job-views.ts'
import type { KeyUses } from '../ports/key-uses.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Outputs } from '../ports/outputs.ts'
import type { ServerRoom } from '../ports/server-room.ts'
import type { SetAsides } from '../ports/set-asides.ts'
import type { StoreFile } from '../ports/store-file.ts'
import type { Log } from '../telemetry/log.ts'
import { redisAddress } from './address.ts'
import { makeStoreFile } from './append-only-file.ts'
import { makeBurstBuckets } from './burst-limit.ts'
import { writeByTurn } from './by-turn.ts'
import { refuseEviction } from './eviction.ts'
import { readInfo } from './info.ts'
import { makeJobViews } from './job-views.ts'
import { makeKeyUses } from './key-uses.ts'
import { failLate } from './late.ts'
import { makeLedger } from './ledger.ts'
import { memoryRoom } from './memory-room.ts'
import { makeOutputs } from './outputs.ts'
import { refusalOf } from './refusal.ts'
import { makeSetAsides } from './set-asides.ts'
import { takesWrites } from './takes-writes.ts'

/** Whoever asks tells a caller, or tries again: more patience would only pile up requests. */
const ANSWER_MS = 2_000
/** Longer than a Redis that is well stands still, to write its file or in a script. */
const SILENCE_MS = 4_000
/** Its disk is full: it refuses PING too, as if that were a write. */
const CANNOT_KEEP = 'MISCONF'

export interface Store {
  readonly ledger: Ledger
  readonly setAsides: SetAsides
  readonly outputs: Outputs
  readonly jobViews: JobViews
  readonly bursts: BurstBuckets
  readonly keyUses: KeyUses
  readonly file: StoreFile
  /** How full its memory is. */
  room(): Promise<ServerRoom>
  /** Whether Redis takes writes now. @throws where it does not answer */
  takesWrites(): Promise<boolean>
  /** Whether Redis answers now, be it that it takes no writes. */
  ping(): Promise<boolean>
  close(): Promise<void>
}

/**
 * Connects and stays connected. While Redis is away every call fails at once or within two seconds:
 * the caller is told to come again, nothing waits in a queue that a restart would replay.
 * @throws {OperatorError} where `url` is no address of Redis, or Redis does not let us in, or not to what
 *   everybody needs, or would evict keys
 */
export async function connectRedis({ url, log }: { url: string; log: Log }): Promise<Store> {
  const redis = new Redis(redisAddress(url), {
    protocol: 2,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    retryStrategy: (times) => Math.min(50 * times, 500),
    // One that has handed over keeps its connections and takes no write: its address leads to the next one.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    lazyConnect: true,
    // Not every version knows it, and no user has the right to.
    disableClientInfo: true,
  })
  writeByTurn(redis)
  failLate(redis, { answerMs: ANSWER_MS, silenceMs: SILENCE_MS })
  let down = false
  const { host, port } = redis.options
  const said = { server: `${host}:${port}`, setting: 'REDIS_URL' }
  redis.on('error', (error) => {
    if (!down) log.warn({ ...said, err: error }, 'redis: not reachable, and waited for')
    down = true
  })
  redis.on('ready', () => {
    if (down) log.info(said, 'redis: connected again')
    down = false
  })
  const generation = followGeneration(redis)
  try {
    await firstConnection(redis)
    await refuseEviction(redis)
  } catch (error) {
    redis.disconnect()
    throw error
  }
  return {
    ledger: makeLedger(redis, generation),
    setAsides: makeSetAsides(redis, generation),
    outputs: makeOutputs(redis),
    jobViews: makeJobViews(redis, generation),
    bursts: makeBurstBuckets(redis),
    keyUses: makeKeyUses(redis),
    file: makeStoreFile(redis),
    room: () => memoryRoom(redis),
    takesWrites: () => takesWrites(redis),
    ping: () =>
      redis.ping().then(
        () => true,
        ({ message }: Error) => message.startsWith(CANNOT_KEEP),
      ),
    close: async () => {
      redis.disconnect()
    },
  }
}

/** Waits for Redis at start, as a role may come up before it. */
async function firstConnection(redis: Redis): Promise<void> {
  const ready = new Promise<void>((resolve, reject) => {
    redis.once('ready', resolve)
    redis.on('error', (error) => {
      const refusal = refusalOf(error)
      if (refusal) reject(refusal)
    })
  })
  redis.connect().catch(() => {
    // Reported by the error listener; ioredis goes on trying.
  })
  await ready
}

/**
 * The id of the life of the Redis we are connected to. It changes with each restart, and a restart
 * may have lost the last writes, so what an earlier life wrote is not trusted.
 */
export function followGeneration(redis: Redis): () => Promise<string> {
  let generation: Promise<string> | undefined
  redis.on('close', () => {
    generation = undefined
  })
  return () => {
    generation ??= readInfo(redis, 'server').then((told) => {
      const id = told('run_id')
      if (!id) throw new Error('redis: INFO server names no run_id')
      return id
    })
    generation.catch(() => {
      generation = undefined
    })
    return generation
  }
}

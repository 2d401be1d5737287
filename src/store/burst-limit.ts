import type { Redis, Result } from 'ioredis'
import type { BurstBuckets } from '../ports/burst-buckets.ts'
import { luaSource } from './lua-source.ts'

declare module 'ioredis' {
  interface RedisCommander<Context> {
    burstSettle(keyCount: number, ...args: (string | number)[]): Result<string[], Context>
  }
}

// One tag for all: a settling is one command, however many addresses it is about.
const bucketKey = (address: string) => `b:{burst}:${address}`

/** The buckets in Redis, each for as long as it is not full. */
export function makeBurstBuckets(redis: Redis): BurstBuckets {
  redis.defineCommand('burstSettle', { lua: luaSource('burst') })
  return {
    settle: async (consumed, { perSecond, burst }) => {
      if (consumed.size === 0) return []
      const keys = Array.from(consumed.keys(), bucketKey)
      const left = await redis.burstSettle(
        keys.length,
        ...keys,
        perSecond,
        burst,
        ...consumed.values(),
      )
      return left.map(Number)
    },
  }
}

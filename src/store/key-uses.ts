import type { Redis } from 'ioredis'
import { toUnixMs } from '../domain/time.ts'
import type { KeyUses } from '../ports/key-uses.ts'

const useKey = (hash: string) => `ku:${hash}`
const KEPT_SECONDS = 400 * 24 * 60 * 60

/** One small value a key, kept a good year. */
export const makeKeyUses = (redis: Redis): KeyUses => ({
  note: async (hash, at) => {
    await redis.set(useKey(hash), at, 'EX', KEPT_SECONDS)
  },
  lastUse: async (hash) => {
    const at = await redis.get(useKey(hash))
    return at === null ? null : toUnixMs(Number(at))
  },
})

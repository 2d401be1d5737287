import type { Redis } from 'ioredis'
import type { StoreFile } from '../ports/store-file.ts'
import { readInfo } from './info.ts'

/** Redis' append-only file, if it has one. */
export function makeStoreFile(redis: Redis): StoreFile {
  let sizeBefore: string | undefined
  return {
    rewrite: async () => {
      const told = await readInfo(redis, 'persistence')
      if (told('aof_enabled') !== '1' || told('aof_rewrite_in_progress') === '1') return false
      const hasFailed = told('aof_last_bgrewrite_status') !== 'ok'
      const size = told('aof_current_size')
      if (size === sizeBefore && !hasFailed) return false
      await redis.bgrewriteaof()
      // Only then: what is refused is asked for again.
      sizeBefore = size
      if (hasFailed) {
        throw new Error('redis: the last rewrite of its append-only file failed, its log says why')
      }
      return true
    },
  }
}

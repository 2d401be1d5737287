import type { Redis } from 'ioredis'
import type { ServerRoom } from '../ports/server-room.ts'
import { readInfo } from './info.ts'

/** What Redis compares with `maxmemory`, and that limit. */
export async function memoryRoom(redis: Redis): Promise<ServerRoom> {
  const info = await readInfo(redis, 'memory')
  const told = (name: string): number => {
    const value = info(name)
    if (value === undefined) throw new Error(`redis: INFO memory names no ${name}`)
    return Number(value)
  }
  // Buffers of the file and of replicas do not count against the limit.
  const used = told('used_memory') - told('mem_not_counted_for_evict')
  return { used, max: told('maxmemory') || undefined }
}

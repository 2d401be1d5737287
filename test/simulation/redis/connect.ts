import type { StoreFile } from '../../../src/ports/store-file.ts'
import { makeBurstBuckets } from '../../../src/store/burst-limit.ts'
import { followGeneration, type Store } from '../../../src/store/connect.ts'
import { makeJobViews } from '../../../src/store/job-views.ts'
import { makeKeyUses } from '../../../src/store/key-uses.ts'
import { makeLedger } from '../../../src/store/ledger.ts'
import { memoryRoom } from '../../../src/store/memory-room.ts'
import { makeOutputs } from '../../../src/store/outputs.ts'
import { makeSetAsides } from '../../../src/store/set-asides.ts'
import type { Node } from '../world.ts'
import { simRedisClient } from './client.ts'
import type { SimRedis } from './server.ts'

/** This Redis has no disk. */
export const noFile: StoreFile = { rewrite: async () => false }

/** The house's own store, scripts and all, in a process of the world. */
export function connectSimRedis(server: SimRedis, node: Node): Store {
  const redis = simRedisClient(server, node)
  const generation = followGeneration(redis)
  return {
    ledger: makeLedger(redis, generation),
    setAsides: makeSetAsides(redis, generation),
    outputs: makeOutputs(redis),
    jobViews: makeJobViews(redis, generation),
    bursts: makeBurstBuckets(redis),
    keyUses: makeKeyUses(redis),
    file: noFile,
    room: () => memoryRoom(redis),
    takesWrites: async () => true,
    ping: () =>
      redis.ping().then(
        () => true,
        () => false,
      ),
    close: async () => redis.disconnect(),
  }
}

import type { Role } from '../../network/network.ts'
import { pause } from '../../until.ts'
import type { Between } from '../ways.ts'
import { FAULT_MS, type Fault, victims } from './fault.ts'

/** The network between two roles is cut: by turns without a word and with resets, for one or for all. */

const BETWEEN: readonly Between[] = [
  'edge-nats',
  'actors-nats',
  'pool-nats',
  'edge-redis',
  'actors-redis',
  'pool-redis',
  'actors-chain',
  'worker-pool',
]

/** Torn connections are known of at once; without a word it takes the six seconds of two lost pings. */
const RESET_MS = 4_000

export const cutFaults: readonly Fault[] = BETWEEN.map((between) => ({
  name: `cut: ${between}`,
  world: 'usual',
  run: async (world, turn) => {
    const role = between.split('-')[0] as Role
    const how = turn.index % 2 === 0 ? 'silent' : 'reset'
    const pids = victims(world, role, turn)
    const ways = world.ways(between)
    const isAll = pids.length === world.network.pids(role).length
    for (const way of ways) way.cut(how, isAll ? undefined : pids[0])
    try {
      await pause(how === 'silent' ? FAULT_MS : RESET_MS)
    } finally {
      for (const way of ways) way.heal()
    }
    return { from: performance.now() }
  },
}))

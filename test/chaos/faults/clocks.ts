import type { Role } from '../../network/network.ts'
import { pause } from '../../until.ts'
import type { Fault } from './fault.ts'

/** The clock of one host goes wrong and comes right again, at once each time; by turns ahead and behind. */

const ROLES: readonly Role[] = ['edge', 'actors', 'pool', 'worker', 'web']
const OFF_BY = { 'a minute': 60_000, 'ten minutes': 600_000, 'sixty days': 60 * 86_400_000 }
/** Jobs of a second begin and end in it, and others span either edge. */
const WRONG_MS = 4_000

export const clockFaults: readonly Fault[] = Object.entries(OFF_BY).flatMap(([name, offMs]) =>
  ROLES.map((role) => ({
    name: `clock off by ${name}: ${role}`,
    world: 'long window',
    run: async (world, { index }) => {
      const pids = world.network.pids(role)
      const pid = pids[Math.floor(index / 2) % pids.length]
      if (pid === undefined) throw new Error(`no ${role} is running`)
      world.setClock(pid, index % 2 === 0 ? offMs : -offMs)
      try {
        await pause(WRONG_MS)
      } finally {
        world.setClock(pid, 0)
      }
      return { from: performance.now() }
    },
  })),
)

import type { Role } from '../../network/network.ts'
import { pause, until } from '../../until.ts'
import type { World } from '../world.ts'
import { BACK_MS, FAULT_MS, type Fault, type Turn, victims } from './fault.ts'

/** Every kind of process dies, hangs, and is started anew in order; of the chain see chain.ts. */

const ROLES: readonly Role[] = ['edge', 'actors', 'pool', 'worker', 'web', 'nats', 'redis']
/** A worker that hangs for longer than a job may take: the network of these faults has 20 s. */
const PAST_WINDOW_MS = 25_000

export const processFaults: readonly Fault[] = [
  ...ROLES.flatMap((role) => [
    ended(role, 'kill -9', 'SIGKILL'),
    halted(role),
    ended(role, 'restart', 'SIGTERM'),
  ]),
  halted('chain'),
  {
    name: 'worker: all hang past the window',
    world: 'usual',
    run: (world) => haltFor(world.network.pids('worker'), PAST_WINDOW_MS),
  },
]

function ended(role: Role, how: string, signal: NodeJS.Signals): Fault {
  return {
    name: `${role}: ${how}`,
    world: 'usual',
    ...onOneServer(role),
    // One that ends in order breaks nothing that it has taken.
    ...(role === 'edge' && {
      mayLose: signal === 'SIGKILL' ? (['not taken', 'broken'] as const) : (['not taken'] as const),
    }),
    run: async (world, turn) => {
      const pids = victims(world, role, turn)
      for (const pid of pids) process.kill(pid, signal)
      return { from: performance.now(), back: () => untilAnew(world, role, pids) }
    },
  }
}

function halted(role: Role): Fault {
  return {
    name: `${role}: SIGSTOP for 8 s`,
    world: 'usual',
    ...onOneServer(role),
    run: (world, turn: Turn) => haltFor(victims(world, role, turn), FAULT_MS),
  }
}

/** Of a cluster the servers are not the network's own. */
function onOneServer(role: Role): Pick<Fault, 'nats'> {
  return role === 'nats' ? { nats: 'one server' } : {}
}

export async function haltFor(pids: readonly number[], ms: number) {
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  try {
    await pause(ms)
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
  return { from: performance.now() }
}

/** Until others run in the place of these. */
export const untilAnew = (world: World, role: Role, gone: readonly number[]) => {
  const count = { edge: 'edges', actors: 'actors', pool: 'pools', worker: 'workers' } as const
  const wanted = role in count ? world.counts[count[role as keyof typeof count]] : 1
  return until(
    `${role} runs anew`,
    async () => {
      const pids = world.network.pids(role)
      return pids.length === wanted && !pids.some((pid) => gone.includes(pid))
    },
    BACK_MS,
  )
}

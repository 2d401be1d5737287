import { pause } from '../../until.ts'
import type { World } from '../world.ts'
import { FAULT_MS, type Fault, type Turn } from './fault.ts'
import { haltFor } from './processes.ts'

/** One of three nats-servers dies, hangs, is restarted, or is alone; two go on. */

/** By turns: what jobs are written to, and what tells which host runs them. */
const STREAMS = ['JOB', 'KV_PARTS'] as const
/** A copy that was away catches up, beside whatever else the machine does. */
const WHOLE_MS = 120_000

export const clusterFaults: readonly Fault[] = [
  onCluster('leader kill -9', (world, turn) => away(world, turn, leader, 'SIGKILL')),
  onCluster('leader SIGSTOP for 8 s', async (world, turn) => {
    const { cluster, name } = await victimOf(world, turn, leader)
    return { ...(await haltFor([cluster.pidOf(name)], FAULT_MS)), back: () => whole(world) }
  }),
  onCluster('leader restart', (world, turn) => away(world, turn, leader, 'SIGTERM')),
  onCluster('follower kill -9', (world, turn) => away(world, turn, follower, 'SIGKILL')),
  onCluster('leader cut off from the others', (world, turn) => alone(world, turn, leader)),
  onCluster('follower cut off from the others', (world, turn) => alone(world, turn, follower)),
]

function onCluster(name: string, run: Fault['run']): Fault {
  return { name: `cluster: ${name}`, world: 'usual', nats: 'cluster', run }
}

type Cluster = NonNullable<World['cluster']>
type Choose = (cluster: Cluster, stream: string) => Promise<string>

const leader: Choose = (cluster, stream) => cluster.leaderOf(stream)
const follower: Choose = async (cluster, stream) => {
  const [name] = await cluster.followersOf(stream)
  if (name === undefined) throw new Error(`${stream} has no follower`)
  return name
}

async function victimOf({ cluster }: World, { index }: Turn, choose: Choose) {
  if (!cluster) throw new Error('this network has no cluster')
  await cluster.untilWhole(WHOLE_MS)
  const stream = STREAMS[index % STREAMS.length]!
  return { cluster, name: await choose(cluster, stream), stream }
}

/** The way back is found without it; only then is it started again, on its data. */
async function away(world: World, turn: Turn, choose: Choose, signal: NodeJS.Signals) {
  const { cluster, name, stream } = await victimOf(world, turn, choose)
  const from = performance.now()
  await cluster.end(name, signal)
  return {
    from,
    back: async () => {
      await pause(Math.max(0, FAULT_MS - (performance.now() - from)))
      await cluster.start(name)
      await whole(world)
    },
    note: stream,
  }
}

/** Clients still reach it, and it answers them; but nobody stands behind what it says. */
async function alone(world: World, turn: Turn, choose: Choose) {
  const { cluster, name, stream } = await victimOf(world, turn, choose)
  const how = Math.floor(turn.index / STREAMS.length) % 2 === 0 ? 'silent' : 'reset'
  cluster.routes.cutOff(name, how)
  try {
    await pause(FAULT_MS)
  } finally {
    cluster.routes.heal()
  }
  return { from: performance.now(), back: () => whole(world), note: `${stream}, ${how}` }
}

const whole = (world: World): Promise<void> => world.cluster!.untilWhole(WHOLE_MS)

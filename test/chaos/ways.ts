import { layOutPorts } from '../../src/network/ports.ts'
import { Way } from './cuts.ts'

/** Every way from processes of a role to a server (or from workers to the pools). */

export type Between =
  | `${'edge' | 'actors' | 'pool'}-${'nats' | 'redis'}`
  | 'actors-chain'
  | 'worker-pool'

/** By role: the port of the way in the place of a server's, as in-role.mjs takes it. */
export type Routes = Record<string, Record<number, number>>

interface Servers {
  readonly portBase: number
  readonly counts: Parameters<typeof layOutPorts>[1]
  /** Of a cluster; left out: the network has a nats-server of its own. */
  readonly natsPorts?: readonly number[] | undefined
}

export async function layWays({ portBase, counts, natsPorts }: Servers) {
  const ports = layOutPorts(portBase, counts)
  const routes: Routes = {}
  const ways = new Map<Between, readonly Way[]>()
  const lay = async (between: Between, targets: readonly number[]) => {
    const laid = await Promise.all(targets.map((target) => Way.to(target)))
    ways.set(between, laid)
    const role = between.split('-')[0]!
    routes[role] ??= {}
    for (const way of laid) routes[role][way.target] = way.port
  }
  for (const role of ['edge', 'actors', 'pool'] as const) {
    await lay(`${role}-nats`, natsPorts ?? [ports.nats])
    await lay(`${role}-redis`, [ports.redis])
  }
  await lay('actors-chain', [ports.chain])
  await lay('worker-pool', ports.pools)
  return { ways, routes }
}

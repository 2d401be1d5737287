import { createServer } from 'node:net'
import type { Counts } from './options.ts'
import type { Role } from './processes/kept-program.ts'

export const LOOPBACK = '127.0.0.1'

/** The fixed layout of a network's ports above its base. */
export interface Ports {
  readonly edges: readonly number[]
  readonly pools: readonly number[]
  readonly nats: number
  readonly redis: number
  readonly chain: number
  /** Figures of nats-server, over HTTP. */
  readonly natsMonitor: number
  readonly web: number
  /** Where a process of the house is asked for its figures; 0: it has none. */
  monitorOf(role: Role, index: number): number
  /** Where any process of the house is asked for its figures. */
  readonly monitors: readonly number[]
}

export function layOutPorts(base: number, counts: Counts): Ports {
  const count = (length: number, from: number) => Array.from({ length }, (_, i) => from + i)
  return {
    edges: count(counts.edges, base),
    pools: count(counts.pools, base + 10),
    nats: base + 20,
    redis: base + 21,
    chain: base + 22,
    natsMonitor: base + 23,
    web: base + 24,
    monitorOf: (role, index) => monitorPort(base, role, index),
    monitors: monitorPorts(base, counts),
  }
}

function monitorPorts(base: number, { edges, pools, actors, workers }: Counts): readonly number[] {
  const runs: [Role, number][] = [
    ['edge', edges],
    ['pool', pools],
    ['web', 1],
    ['actors', actors],
    ['worker', workers],
  ]
  return runs
    .flatMap(([role, count]) => Array.from({ length: count }, (_, i) => monitorPort(base, role, i)))
    .filter((port) => port > 0)
}

function monitorPort(base: number, role: Role, index: number): number {
  if (role === 'edge') return base + 40 + index
  if (role === 'pool') return base + 50 + index
  if (role === 'web') return base + 60
  if (role === 'worker') return index < MONITORED_WORKERS ? base + 25 + index : 0
  return role === 'actors' && index < MONITORED_ACTORS ? base + 61 + index : 0
}
const MONITORED_ACTORS = 19
const MONITORED_WORKERS = 14

/**
 * Browsers, and `fetch` in Node, call nothing on these: other protocols live there.
 * https://fetch.spec.whatwg.org/#port-blocking, those that need no root rights
 */
export const UNCALLABLE_PORTS: ReadonlySet<number> = new Set([
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080],
])

/** @throws naming the first port that something else holds, or that clients refuse to call */
export async function requireUsablePorts(ports: readonly number[]): Promise<void> {
  const uncallable = ports.find((port) => UNCALLABLE_PORTS.has(port))
  if (uncallable !== undefined) {
    throw new Error(
      `browsers refuse to call port ${uncallable}; choose other ports with --port-base N`,
    )
  }
  const free = await Promise.all(ports.map(isFree))
  const taken = ports.find((_, i) => !free[i])
  if (taken === undefined) return
  throw new Error(
    `port ${taken} is taken by another program; end it, or choose other ports with --port-base N`,
  )
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: LOOPBACK, exclusive: true }, () =>
      server.close(() => resolve(true)),
    )
  })
}

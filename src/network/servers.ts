import { join } from 'node:path'
import { NATS_ROLES, type NatsRole } from '../bus/permissions.ts'
import type { DataDir } from './data-dir.ts'
import type { Keys } from './keys.ts'
import { LOOPBACK, type Ports } from './ports.ts'
import { findAnvil, findServers, type ServerProgram } from './programs.ts'
import type { Screen } from './screen.ts'
import { natsPasswords, natsUrlAs } from './server-users.ts'
import type { Program } from './supervisor.ts'
import { waitForListener } from './waiting.ts'

/** The servers a network stands on. Its own are reachable from this machine only. */

export interface ServerUrls {
  /** For each of its users; one for all where the operator runs it. */
  readonly nats: Readonly<Record<NatsRole, string>>
  readonly redis: string
  readonly rpc: string
  /** Servers that the operator runs and named in the environment. */
  readonly external: { readonly nats: boolean; readonly redis: boolean }
}

export interface ServerSettings {
  readonly dir: DataDir
  readonly ports: Ports
  readonly keys: Keys
  readonly screen: Screen
  start(program: Program): void
}

const CHAIN_ID = 31_337
const OWN_PATIENCE_MS = 30_000
const EXTERNAL_PATIENCE_MS = 5_000

export const findServerUrls = (
  ports: Ports,
  keys: Keys,
  env: Readonly<Record<string, string | undefined>>,
): ServerUrls => ({
  nats: eachRole((role) => {
    return env.NATS_URL || natsUrlAs(`nats://${LOOPBACK}:${ports.nats}`, keys, role)
  }),
  redis: env.REDIS_URL || `redis://${LOOPBACK}:${ports.redis}`,
  rpc: `http://${LOOPBACK}:${ports.chain}`,
  external: { nats: Boolean(env.NATS_URL), redis: Boolean(env.REDIS_URL) },
})

const eachRole = (url: (role: NatsRole) => string): ServerUrls['nats'] =>
  Object.fromEntries(NATS_ROLES.map((role) => [role, url(role)])) as ServerUrls['nats']

/** All ports that the network will listen on. */
export const neededPorts = (ports: Ports, { external }: ServerUrls): readonly number[] => [
  ...ports.edges,
  ...ports.pools,
  ...(external.nats ? [] : [ports.nats, ports.natsMonitor]),
  ...(external.redis ? [] : [ports.redis]),
  ports.chain,
  ports.web,
]

/** Starts nats-server and redis-server, or finds the ones that the operator named. */
export async function startServers(settings: ServerSettings, urls: ServerUrls): Promise<void> {
  const { screen, dir, ports, keys, start } = settings
  const own: ServerProgram[] = []
  if (!urls.external.nats) own.push('nats-server')
  if (!urls.external.redis) own.push('redis-server')
  const paths = await findServers(own, screen.note)

  const nats = paths.get('nats-server')
  if (nats) start(natsProgram(nats, dir, ports, keys))
  const redis = paths.get('redis-server')
  if (redis) start(redisProgram(redis, dir, ports))
  await Promise.all([
    screen.step('NATS', () => waitForUrl('NATS', 4222, urls.nats.operator, !nats)),
    screen.step('Redis', () => waitForUrl('Redis', 6379, urls.redis, !redis)),
  ])
}

export async function startChain({ dir, ports, screen, start }: ServerSettings): Promise<void> {
  if (process.env.RPC_URL)
    screen.note('! RPC_URL is not used: a network runs on a chain of its own')
  start(chainProgram(findAnvil(), dir, ports))
  await screen.step('chain', () =>
    waitForListener('the chain', LOOPBACK, ports.chain, OWN_PATIENCE_MS),
  )
}

async function waitForUrl(
  what: string,
  defaultPort: number,
  servers: string,
  external: boolean,
): Promise<void> {
  const name = external ? `${what}, as ${what.toUpperCase()}_URL names it,` : what
  const patienceMs = external ? EXTERNAL_PATIENCE_MS : OWN_PATIENCE_MS
  const waits = servers.split(',').map((server) => {
    const address = server.trim()
    const url = URL.canParse(address) ? new URL(address) : undefined
    // "host:port" parses too, with the host as its scheme.
    const { hostname, port } = url?.hostname ? url : new URL(`tcp://${address}`)
    return waitForListener(name, hostname, port ? Number(port) : defaultPort, patienceMs)
  })
  // Of a cluster, one is enough to go on with.
  await Promise.any(waits).catch((error: AggregateError) => {
    throw error.errors[0]
  })
}

const currentEnv = () =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )

const DEPLOY = join(import.meta.dirname, '../../deploy')

function natsProgram(path: string, dir: DataDir, ports: Ports, keys: Keys): Program {
  const args = [
    ...[
      '--config',
      join(DEPLOY, 'nats-with-users.conf'),
      '--addr',
      LOOPBACK,
      '--port',
      String(ports.nats),
    ],
    ...['--http_port', String(ports.natsMonitor), '--jetstream', '--store_dir', dir.natsStore],
  ]
  const env = { ...currentEnv(), ...natsPasswords(keys) }
  return { role: 'nats', name: 'nats', command: path, args, env }
}

function redisProgram(path: string, dir: DataDir, ports: Ports): Program {
  const args = [
    ...[join(DEPLOY, 'redis.conf'), '--bind', LOOPBACK, '--port', String(ports.redis)],
    ...['--dir', dir.redisStore],
  ]
  return { role: 'redis', name: 'redis', command: path, args }
}

function chainProgram(path: string, dir: DataDir, ports: Ports): Program {
  const args = [
    ...['--host', LOOPBACK, '--port', String(ports.chain), '--chain-id', String(CHAIN_ID)],
    // Written on SIGTERM and at each interval; SIGKILL loses up to one interval.
    ...['--state', dir.chainState, '--state-interval', '5'],
    // In order of arrival, and without the states of old blocks: both keep blocks fast.
    ...['--order', 'fifo', '--prune-history', '--silent'],
  ]
  return { role: 'chain', name: 'chain', command: path, args }
}

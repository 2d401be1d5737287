import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { NATS_ROLES, type NatsRole } from '../../bus/permissions.ts'
import { REDIS_ROLES, type RedisRole } from '../../store/permissions.ts'
import { keepChainState } from '../chain/chain-state.ts'
import { serveGenesis } from '../chain/genesis.ts'
import type { DataDir } from '../data/data-dir.ts'
import type { Keys } from '../data/keys.ts'
import { writeWhole } from '../data/whole-file.ts'
import { LOOPBACK, type Ports } from '../ports.ts'
import type { Program } from '../processes/kept-program.ts'
import type { ServerProgram } from '../programs/install-programs.ts'
import { findAnvil, findServers } from '../programs/programs.ts'
import type { Screen } from '../screen.ts'
import { waitForListener } from '../waiting.ts'
import { redisUsersFile } from './redis-users.ts'
import { serverPlace } from './server-place.ts'
import {
  namedNatsUrl,
  natsPasswords,
  natsUrlAs,
  redisPasswordHash,
  redisUrlAs,
} from './server-users.ts'

/** The servers a network stands on. Its own are reachable from this machine only. */

export interface ServerUrls {
  /** For each of its users; one for all where the operator runs it. */
  readonly nats: Readonly<Record<NatsRole, string>>
  readonly redis: Readonly<Record<RedisRole, string>>
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
const STATE_LOOK_MS = 1_000

export const findServerUrls = (
  ports: Ports,
  keys: Keys,
  env: Readonly<Record<string, string | undefined>>,
): ServerUrls => ({
  nats: each(NATS_ROLES, (role) => {
    if (env.NATS_URL) return namedNatsUrl(env.NATS_URL, env, role)
    return natsUrlAs(`nats://${LOOPBACK}:${ports.nats}`, keys, role)
  }),
  redis: each(REDIS_ROLES, (role) => {
    return env.REDIS_URL || redisUrlAs(`redis://${LOOPBACK}:${ports.redis}`, keys, role)
  }),
  rpc: `http://${LOOPBACK}:${ports.chain}`,
  external: { nats: Boolean(env.NATS_URL), redis: Boolean(env.REDIS_URL) },
})

const each = <Role extends string>(roles: readonly Role[], url: (role: Role) => string) =>
  Object.fromEntries(roles.map((role) => [role, url(role)])) as Record<Role, string>

/** All ports that the network will listen on. */
export const neededPorts = (ports: Ports, { external }: ServerUrls): readonly number[] => [
  ...ports.edges,
  ...ports.pools,
  ...(external.nats ? [] : [ports.nats, ports.natsMonitor]),
  ...(external.redis ? [] : [ports.redis]),
  ports.chain,
  ports.web,
  ...ports.monitors,
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
  if (redis) start(redisProgram(redis, dir, ports, keys))
  await Promise.all([
    screen.step('NATS', () => waitForUrl('NATS', 4222, urls.nats.operator, !nats)),
    screen.step('Redis', () => waitForUrl('Redis', 6379, urls.redis.operator, !redis)),
  ])
}

export async function startChain({ dir, ports, screen, start }: ServerSettings): Promise<void> {
  if (process.env.RPC_URL)
    screen.note('! RPC_URL is not used: a network runs on a chain of its own')
  const state = keepChainState(dir.chainState)
  const args = chainArguments({
    ...{ port: ports.chain, state: state.file },
    genesis: await serveGenesis(),
  })
  start({ role: 'chain', name: 'chain', command: findAnvil(), args, prepare: state.recover })
  setInterval(state.setAside, STATE_LOOK_MS).unref()
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
    const { host, port } = serverPlace(server.trim(), defaultPort)
    return waitForListener(name, host, port, patienceMs)
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

const DEPLOY = join(import.meta.dirname, '../../../deploy')

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

function redisProgram(path: string, dir: DataDir, ports: Ports, keys: Keys): Program {
  // Passwords are made of many random bits, so that nobody finds one from its hash.
  const hashOf = (role: RedisRole) => redisPasswordHash(keys, role)
  writeWhole(dir.redisUsersFile, redisUsersFile({ hashOf, isOld: isOldRedis(path) }), 0o600)
  const args = [
    ...[join(DEPLOY, 'redis.conf'), '--bind', LOOPBACK, '--port', String(ports.redis)],
    ...['--dir', dir.redisStore, '--aclfile', dir.redisUsersFile],
  ]
  return { role: 'redis', name: 'redis', command: path, args }
}

/** Some systems still install version 6. */
function isOldRedis(path: string): boolean {
  const [, major] = /v=(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' })) ?? []
  return major !== undefined && Number(major) < 7
}

export interface ChainArguments {
  readonly port: number
  /** The file that it is kept in. */
  readonly state: string
  /** URL of the node whose block it begins from. */
  readonly genesis: string
}

/** What anvil is started with. */
export const chainArguments = ({ port, state, genesis }: ChainArguments): string[] => [
  ...['--host', LOOPBACK, '--port', String(port), '--chain-id', String(CHAIN_ID)],
  // Written on SIGTERM and at each interval; SIGKILL loses up to one interval, or a few (`chain-state.ts`).
  ...['--state', state, '--state-interval', '5'],
  // In order of arrival, and without the states of old blocks: both keep blocks fast.
  ...['--order', 'fifo', '--prune-history', '--silent'],
  // What it asks of its beginning is on this machine: neither kept in files nor rationed.
  ...['--fork-url', genesis, '--no-storage-caching', '--no-rate-limit'],
]

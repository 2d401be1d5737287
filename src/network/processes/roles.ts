import { NATS_ROLES } from '../../bus/permissions.ts'
import { REGISTRATIONS_PER_HOUR } from '../../config/schema.ts'
import { nodeArguments } from '../bundled.mjs'
import type { DataDir } from '../data/data-dir.ts'
import type { Keys } from '../data/keys.ts'
import type { Options } from '../options.ts'
import { LOOPBACK, type Ports } from '../ports.ts'
import { passwordVariable } from '../servers/nats-users.ts'
import type { ServerUrls } from '../servers/servers.ts'
import type { Program, Role } from './kept-program.ts'

/** Everything a role is told about the network it belongs to. */
export interface Wiring {
  readonly root: string
  /** Folder of the bundles. */
  readonly build: string
  readonly dir: DataDir
  readonly ports: Ports
  readonly keys: Keys
  readonly options: Options
  readonly urls: ServerUrls
}

/** Of the network's processes those of this house. */
type OwnRole = Exclude<Role, 'nats' | 'redis' | 'chain'>
type Env = Readonly<Record<string, string>>

// Between them the first two workers serve four sizes, and each model but one has two workers.
const WORKER_MODELS = [
  'Qwen/Qwen3-8B,meta-llama/Llama-3.2-3B-Instruct,Qwen/Qwen3-1.7B',
  'meta-llama/Llama-3.3-70B-Instruct,Qwen/Qwen3-8B,meta-llama/Llama-3.2-3B-Instruct',
] as const

/** The processes of this house, in the order in which they start. */
export function rolePrograms(wiring: Wiring): readonly Program[] {
  const { options, ports, keys } = wiring
  const chain = { RPC_URL: wiring.urls.rpc, CONTRACTS_FILE: wiring.dir.contractsFile }
  const actors = {
    ...{ LOCKER_PRIVATE_KEY: keys.locker, SETTLER_PRIVATE_KEY: keys.settler },
    WITHDRAWAL_SIGNER_PRIVATE_KEY: keys.withdrawal_signer,
    KEEPER_PRIVATE_KEY: keys.keeper,
    WEBHOOK_SECRET_KEYS: keys.webhook_secrets,
    WEBHOOK_DEV_TARGETS: 'true',
  }
  return [
    ...ports.pools.map((port, i) =>
      program(wiring, 'pool', i, {
        ...sharedEnv(wiring, 'pool'),
        ...chain,
        POOL_PORT: String(port),
      }),
    ),
    ...times(options.counts.actors, (i) =>
      program(
        wiring,
        'actors',
        i,
        { ...sharedEnv(wiring, 'actors'), ...chain, ...actors },
        actorsDefaults(options),
      ),
    ),
    ...ports.edges.map((port, i) => program(wiring, 'edge', i, edgeEnv(wiring, port))),
    program(wiring, 'web', 0, { ...sharedEnv(wiring, 'web'), ...chain, ...webEnv(wiring) }),
    ...times(options.counts.workers, (i) =>
      program(wiring, 'worker', i, workerEnv(wiring, i), workerDefaults(i, options)),
    ),
  ]
}

export const baseUrl = (port: number): string => `http://${LOOPBACK}:${port}/v1`
/** The operator's own documentation site, else the pages that the first edge serves. */
export const docsUrl = ({ ports }: Pick<Wiring, 'ports'>): string =>
  process.env.DOCS_URL || `http://${LOOPBACK}:${ports.edges[0]}/docs`
export const webUrl = ({ web }: Ports): string => `http://${LOOPBACK}:${web}`
export const explorerUrl = (ports: Ports): string =>
  process.env.EXPLORER_URL || `${webUrl(ports)}/explorer`
export const poolUrl = (port: number): string => `http://${LOOPBACK}:${port}`

/** How many of the network's workers were told to serve each model; empty behind an upstream. */
export function plannedModels(programs: readonly Program[]): ReadonlyMap<string, number> {
  const planned = new Map<string, number>()
  for (const { role, env } of programs) {
    if (role !== 'worker') continue
    // An entry may name the upstream's own id as well: id=upstream-name.
    const entries = (env?.WORKER_MODELS ?? '').split(',')
    const models = new Set(entries.map((entry) => entry.split('=')[0]!.trim()))
    for (const model of models) if (model) planned.set(model, (planned.get(model) ?? 0) + 1)
  }
  return planned
}

/** @param defaults what the operator's environment may say otherwise; `env` it may not */
function program(
  wiring: Wiring,
  role: OwnRole,
  index: number,
  env: Env,
  defaults: Env = {},
): Program {
  return {
    role,
    name: `${role}-${index + 1}`,
    command: process.execPath,
    args: nodeArguments(wiring.build, role),
    cwd: wiring.root,
    // Nobody here looks at /readyz, and Ctrl-C should not have to wait.
    env: {
      LEAVE_SECONDS: '0',
      ...defaults,
      ...operatorEnv(),
      ...env,
      MONITOR_PORT: String(wiring.ports.monitorOf(role, index)),
      SVC_SUPERVISED: '1',
    },
    supervised: true,
  }
}

/**
 * Of the servers' users each role knows its own, from its URL, and no other. Nor does a signer go beside the
 * keys that this network was made with: an actor host takes one of the two.
 */
const WITHHELD: ReadonlySet<string> = new Set([
  ...NATS_ROLES.map(passwordVariable),
  ...['LOCKER', 'SETTLER'].flatMap((role) => [`${role}_SIGNER_URL`, `${role}_ADDRESS`]),
])

// An empty variable means "not set", here as in the roles.
const operatorEnv = (): Env =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value && !WITHHELD.has(name) ? [[name, value]] : [],
    ),
  )

/** Each role is its own user of the servers. */
const sharedEnv = ({ urls }: Wiring, role: 'edge' | 'web' | 'pool' | 'actors'): Env => ({
  NATS_URL: urls.nats[role],
  REDIS_URL: urls.redis[role],
})

const edgeEnv = (wiring: Wiring, port: number): Env => ({
  ...sharedEnv(wiring, 'edge'),
  CONTRACTS_FILE: wiring.dir.contractsFile,
  EDGE_PORT: String(port),
  // The playground asks from the web app's pages; the operator may name others beside it.
  EDGE_CORS_ORIGINS: [webUrl(wiring.ports), process.env.EDGE_CORS_ORIGINS ?? ''].join(','),
  DOCS_URL: docsUrl(wiring),
})

const webEnv = (wiring: Wiring): Env => ({
  WEB_PORT: String(wiring.ports.web),
  WEB_URL: webUrl(wiring.ports),
  WEB_DEVELOPMENT: 'true',
  WEB_RELAYER_PRIVATE_KEY: wiring.keys.relayer,
  EXPLORER_URL: explorerUrl(wiring.ports),
  API_BASE_URL: baseUrl(wiring.ports.edges[0]!),
  DOCS_URL: docsUrl(wiring),
})

function workerEnv({ dir, ports, keys, options }: Wiring, index: number): Env {
  return {
    POOL_URL: poolsFrom(ports.pools, index % ports.pools.length)
      .map(poolUrl)
      .join(','),
    WORKER_PRIVATE_KEY: keys.workers[index]!,
    WORKER_HOME: dir.workers,
    ...(options.upstreamUrl && { WORKER_ENGINE: 'openai', UPSTREAM_URL: options.upstreamUrl }),
  }
}

/** All of them, another one first for each worker: so they spread, and none is lost with its pool. */
const poolsFrom = (pools: readonly number[], first: number): readonly number[] => [
  ...pools.slice(first),
  ...pools.slice(0, first),
]

const workerDefaults = (index: number, { upstreamUrl }: Options): Env =>
  upstreamUrl
    ? {}
    : { WORKER_ENGINE: 'sample', WORKER_MODELS: WORKER_MODELS[index % WORKER_MODELS.length]! }

/** The workers of this network are its owner's, and gas of its own chain costs nothing: all are registered. */
const actorsDefaults = ({ counts }: Options): Env =>
  counts.workers > REGISTRATIONS_PER_HOUR ? { WORKER_REGISTRATIONS_PER_HOUR: '0' } : {}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))

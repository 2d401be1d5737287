import 'reflect-metadata'
import { container, type DependencyContainer } from 'tsyringe'
import { monitored, type StartedRole, type Starting } from '../src/config/monitored.ts'
import type { Role } from '../src/config/process.ts'
import type { ActorKind, ActorsConfig } from '../src/config/schema.ts'
import { tracesOf } from '../src/config/tracing-settings.ts'
import type { Address } from '../src/domain/ids.ts'
import { TOKENS } from '../src/ports/tokens.ts'
import { countHeld } from '../src/runtime/count-held.ts'
import { Ownership, type ResourceKind } from '../src/runtime/ownership.ts'
import type { Log } from '../src/telemetry/log.ts'
import { makeMetrics } from '../src/telemetry/metrics.ts'
import { openTraces } from '../src/telemetry/open-traces.ts'
import type { Traces } from '../src/telemetry/traces.ts'
import { type LoadWallet, makeLoader } from './account/loader.ts'
import { makeAccountService } from './account/service.ts'
import { catalogue, lanes, watcher } from './compose-chain.ts'
import { jobs } from './compose-job.ts'
import { keeper } from './compose-keeper.ts'
import { storeKeeper } from './compose-store.ts'
import { webhookHost } from './compose-webhooks.ts'
import { connectActors } from './connect.ts'
import { Edges } from './job/edges.ts'
import { Pools } from './job/pools.ts'
import { PARTITION_NAMES, VIEWED } from './job/resource.ts'

/** Opens the port for operators, connects an actor host to the world and starts its kinds of actors. */
export async function composeActors(config: ActorsConfig, log: Log): Promise<Role> {
  const metrics = makeMetrics({ process: config.MONITOR_PORT > 0 })
  return monitored({ config, metrics }, (starting) => connect(config, log, starting))
}

async function connect(config: ActorsConfig, log: Log, starting: Starting): Promise<StartedRole> {
  const c = container.createChildContainer()
  c.register(TOKENS.metrics, { useValue: starting.metrics })
  const { missing, ...host } = await connectActors(c, config, log, starting)
  const named = { role: 'actors', instance: host.hostId, log }
  const traces = await openTraces({ ...tracesOf(config), ...named })
  const close = async () => {
    await Promise.all([host.close(), traces?.close()])
  }
  const role = await startActors(c, config, log, { ...host, traces, close })
  return { ...role, missing }
}

/** What a host knows besides its ports. */
export interface ActorsHost {
  /** Unique to this process. */
  readonly hostId: string
  readonly deployBlock: number
  readonly jobEscrow: Address
  readonly catalogueKey: string
  /** Undefined: nothing is traced. */
  readonly traces?: Traces | undefined
  close(): Promise<void>
}

/** Starts a host on the ports that are registered with `c`. */
export async function startActors(
  c: DependencyContainer,
  config: ActorsConfig,
  log: Log,
  { close, ...place }: ActorsHost,
): Promise<{ stop(): Promise<void> }> {
  const { hostId } = place
  const bus = c.resolve(TOKENS.bus)
  const clock = c.resolve(TOKENS.clock)
  const pools = new Pools(bus, clock)
  const edges = new Edges(bus, clock)
  const load = makeLoader({
    reader: c.resolve(TOKENS.escrowReader),
    ledger: c.resolve(TOKENS.ledger),
    clock,
  })
  const viewedUpTo = () => ownership.lowest(PARTITION_NAMES, VIEWED)
  const shared = sharedOut(c, config, load)
  const resources = held(c, config, { ...place, pools, edges, load, viewedUpTo })
  const registry = c.resolve(TOKENS.placements)
  const ownership: Ownership = new Ownership({ hostId, resources, bus, registry, clock, log })
  countHeld({ metrics: c.resolve(TOKENS.metrics), bus, kinds: resources, ownership })

  // What is held stands on all the others.
  const parts: readonly Part[] = [edges, pools, ...shared, ownership]
  for (const part of parts) await part.start()
  log.info({ hostId, kinds: config.ACTOR_KINDS }, 'actors: ready')
  return {
    stop: async () => {
      for (const part of [...parts].reverse()) await part.stop()
      await close()
    },
  }
}

interface Part {
  start(): Promise<void> | void
  stop(): Promise<void> | void
}

/** The kinds that run in each host that names them: whoever is free takes what comes. */
function sharedOut(c: DependencyContainer, config: ActorsConfig, load: LoadWallet): Part[] {
  const runs = (kind: ActorKind) => config.ACTOR_KINDS.includes(kind)
  const account = runs('account') ? accountService(c, load) : undefined
  const webhooks = runs('webhook') ? webhookHost(c, config) : undefined
  return [account, webhooks].filter((part) => part !== undefined)
}

interface Held extends Omit<ActorsHost, 'close'> {
  readonly pools: Pools
  readonly edges: Edges
  readonly load: LoadWallet
  viewedUpTo(): Promise<number>
}

type HeldKind = Exclude<ActorKind, 'account' | 'webhook'>

/** The kinds whose partitions, lanes and the like are each held by one host at a time. */
function held(c: DependencyContainer, config: ActorsConfig, host: Held): readonly ResourceKind[] {
  const makers: Readonly<Record<HeldKind, () => readonly ResourceKind[]>> = {
    job: () => [jobs(c, config, host)],
    settlement: () => lanes(c, config, host.traces),
    'chain-watcher': () => [watcher(c, config, host)],
    catalogue: () => [catalogue(c, host.catalogueKey)],
    keeper: () => keeper(c, config, host),
    'job-views': () => [storeKeeper(c, host.viewedUpTo)],
  }
  return Object.entries(makers)
    .filter(([kind]) => config.ACTOR_KINDS.some((wanted) => wanted === kind))
    .flatMap(([, make]) => make())
}

function accountService(c: DependencyContainer, load: LoadWallet) {
  return makeAccountService({
    load,
    setAsides: c.resolve(TOKENS.setAsides),
    vouchers: c.resolve(TOKENS.vouchers),
    ledger: c.resolve(TOKENS.ledger),
    bus: c.resolve(TOKENS.bus),
    clock: c.resolve(TOKENS.clock),
    log: c.resolve(TOKENS.log),
  })
}

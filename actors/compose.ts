import 'reflect-metadata'
import { container, type DependencyContainer } from 'tsyringe'
import { monitored, type StartedRole, type Starting } from '../src/config/monitored.ts'
import type { Role } from '../src/config/process.ts'
import type { ActorsConfig } from '../src/config/schema.ts'
import { tracesOf } from '../src/config/tracing-settings.ts'
import type { Credits } from '../src/domain/credits.ts'
import type { Address } from '../src/domain/ids.ts'
import { LANES } from '../src/messages/subjects.ts'
import type { Ledger } from '../src/ports/ledger.ts'
import { TOKENS } from '../src/ports/tokens.ts'
import { countHeld } from '../src/runtime/count-held.ts'
import { Ownership, type ResourceKind } from '../src/runtime/ownership.ts'
import { timedJournal } from '../src/runtime/timed-journal.ts'
import type { Log } from '../src/telemetry/log.ts'
import { type Metrics, makeMetrics } from '../src/telemetry/metrics.ts'
import { openTraces } from '../src/telemetry/open-traces.ts'
import type { Traces } from '../src/telemetry/traces.ts'
import { makeLoader } from './account/loader.ts'
import { makeAccountService } from './account/service.ts'
import { makeCatalogueFollower } from './catalogue/follower.ts'
import { makeChainWatcher } from './chain-watcher/watcher.ts'
import { makeWatcherMetrics } from './chain-watcher/watcher-metrics.ts'
import { keeper } from './compose-keeper.ts'
import { single } from './compose-single.ts'
import { storeKeeper } from './compose-store.ts'
import { webhookHost } from './compose-webhooks.ts'
import { connectActors } from './connect.ts'
import { jobKind } from './job/actor.ts'
import { rests } from './job/due.ts'
import { Edges } from './job/edges.ts'
import { happeningsOf } from './job/facts.ts'
import { KeyProofs } from './job/key-proofs.ts'
import { JobMeter } from './job/meter.ts'
import { Pools } from './job/pools.ts'
import { jobPartitions, PARTITION_NAMES, VIEWED } from './job/resource.ts'
import { JobTraces } from './job/traces.ts'
import { viewIfAny } from './job/view.ts'
import { JobFactTeller } from './job-facts/teller.ts'
import { JobViewWriter } from './job-views/writer.ts'
import { makeLane } from './settlement/lane.ts'
import { makeLaneMetrics } from './settlement/lane-metrics.ts'

/** Opens the port for operators, connects an actor host to the world and starts its kinds of actors. */
export async function composeActors(config: ActorsConfig, log: Log): Promise<Role> {
  const metrics = makeMetrics({ process: config.MONITOR_PORT > 0 })
  return monitored({ config, metrics }, (starting) => connect({ config, log, metrics, starting }))
}

interface Start {
  readonly config: ActorsConfig
  readonly log: Log
  readonly metrics: Metrics
  readonly starting: Starting
}

async function connect({ config, log, metrics, starting }: Start): Promise<StartedRole> {
  const c = container.createChildContainer()
  c.register(TOKENS.metrics, { useValue: metrics })
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
  { hostId, deployBlock, jobEscrow, catalogueKey, traces, close }: ActorsHost,
): Promise<{ stop(): Promise<void> }> {
  const pools = new Pools(c.resolve(TOKENS.bus), c.resolve(TOKENS.clock))
  const edges = new Edges(c.resolve(TOKENS.bus), c.resolve(TOKENS.clock))
  const load = makeLoader({
    reader: c.resolve(TOKENS.escrowReader),
    ledger: c.resolve(TOKENS.ledger),
  })
  const account = accountService(c, load)
  const webhooks = config.ACTOR_KINDS.includes('webhook') ? webhookHost(c, config) : undefined
  const resources = [
    jobs(c, config, { hostId, pools, edges, jobEscrow, load, traces }),
    ...lanes(c, config, traces),
    watcher(c, config, { deployBlock, load }),
    catalogue(c, catalogueKey),
    ...keeper(c, config, { deployBlock, jobEscrow }),
    storeKeeper(c, () => ownership.lowest(PARTITION_NAMES, VIEWED)),
  ].filter(({ kind }) => config.ACTOR_KINDS.some((wanted) => wanted === kind))
  const ownership: Ownership = new Ownership({
    hostId,
    resources,
    bus: c.resolve(TOKENS.bus),
    registry: c.resolve(TOKENS.placements),
    clock: c.resolve(TOKENS.clock),
    log,
  })

  countHeld({
    metrics: c.resolve(TOKENS.metrics),
    bus: c.resolve(TOKENS.bus),
    kinds: resources,
    ownership,
  })

  edges.start()
  await pools.start()
  if (config.ACTOR_KINDS.includes('account')) await account.start()
  await webhooks?.start()
  await ownership.start()
  log.info({ hostId, kinds: config.ACTOR_KINDS }, 'actors: ready')
  return {
    stop: async () => {
      await ownership.stop()
      await webhooks?.stop()
      await account.stop()
      pools.stop()
      edges.stop()
      await close()
    },
  }
}

interface JobHost {
  readonly hostId: string
  readonly pools: Pools
  readonly edges: Edges
  readonly jobEscrow: Address
  readonly load: Load
  readonly traces: Traces | undefined
}

function jobs(
  c: DependencyContainer,
  config: ActorsConfig,
  { hostId, pools, edges, jobEscrow, load, traces }: JobHost,
): ResourceKind {
  const bus = c.resolve(TOKENS.bus)
  const clock = c.resolve(TOKENS.clock)
  const ledger = c.resolve(TOKENS.ledger)
  const outputs = c.resolve(TOKENS.outputs)
  const log = c.resolve(TOKENS.log)
  const metrics = c.resolve(TOKENS.metrics)
  const interest = c.resolve(TOKENS.eventInterest)
  const isWatched = (wallet: Address) => interest.of(wallet)
  const keyProofs = new KeyProofs({ keys: c.resolve(TOKENS.keys), clock, log })
  return jobPartitions({
    hostId,
    kind: jobKind(
      { bus, clock, ledger, outputs, pools, edges, keyProofs, isWatched },
      { disputeWindowMs: config.DISPUTE_WINDOW_SECONDS * 1_000 },
    ),
    bus,
    clock,
    journal: timedJournal(c.resolve(TOKENS.jobJournal), metrics, clock),
    log,
    meter: new JobMeter({ metrics, clock, log }),
    traces: traces && new JobTraces({ traces, clock }),
    facts: new JobFactTeller({
      facts: c.resolve(TOKENS.facts),
      interest,
      walletOf: (job) => (job.status === 'abandoned' ? undefined : job.terms.wallet),
      viewOf: viewIfAny,
      happeningsOf,
      remaining: (wallet) => spendable(ledger, load, wallet),
      escrowAddress: jobEscrow,
      clock,
      log,
    }),
    views: new JobViewWriter({
      views: c.resolve(TOKENS.jobViews),
      archive: c.resolve(TOKENS.jobArchive),
      viewOf: viewIfAny,
      rests,
      clock,
      log,
    }),
  })
}

/** What a wallet can spend now; one that the ledger has forgotten is read from the chain. */
async function spendable(ledger: Ledger, load: Load, wallet: Address): Promise<Credits> {
  let balance = await ledger.balance(wallet)
  if (balance === 'unknown_wallet') {
    await load(wallet)
    balance = await ledger.balance(wallet)
  }
  if (balance === 'unknown_wallet') throw new Error('the ledger forgot the wallet at once')
  return balance.remaining
}

/** One writer a signing key: a lane is a resource that one host holds at a time. */
function lanes(
  c: DependencyContainer,
  config: ActorsConfig,
  traces: Traces | undefined,
): ResourceKind[] {
  const metrics = makeLaneMetrics(c.resolve(TOKENS.metrics))
  return LANES.map((lane) =>
    single('settlement', `lane.${lane}`, () =>
      makeLane({
        lane,
        bus: c.resolve(TOKENS.bus),
        journal: c.resolve(TOKENS.outbox),
        writer: c.resolve(TOKENS.escrowWriter),
        reader: c.resolve(TOKENS.escrowReader),
        clock: c.resolve(TOKENS.clock),
        log: c.resolve(TOKENS.log),
        metrics,
        traces,
        itemsMax: config.BATCH_ITEMS_MAX,
        confirmLockAt: config.ESCROW_ROUTE_AT,
      }),
    ),
  )
}

type Load = ReturnType<typeof makeLoader>

function watcher(
  c: DependencyContainer,
  config: ActorsConfig,
  { deployBlock, load }: { readonly deployBlock: number; readonly load: Load },
): ResourceKind {
  const metrics = makeWatcherMetrics(c.resolve(TOKENS.metrics))
  return single('chain-watcher', 'watcher', () =>
    makeChainWatcher({
      load,
      facts: c.resolve(TOKENS.facts),
      settings: c.resolve(TOKENS.settings),
      lowMarks: c.resolve(TOKENS.lowMarks),
      reader: c.resolve(TOKENS.escrowReader),
      ledger: c.resolve(TOKENS.ledger),
      bus: c.resolve(TOKENS.bus),
      registry: c.resolve(TOKENS.cursors),
      clock: c.resolve(TOKENS.clock),
      log: c.resolve(TOKENS.log),
      metrics,
      confirmations: config.CHAIN_CONFIRMATIONS,
      deployBlock,
    }),
  )
}

function catalogue(c: DependencyContainer, key: string): ResourceKind {
  return single('catalogue', 'catalogue', () =>
    makeCatalogueFollower({
      models: c.resolve(TOKENS.modelReader),
      blocks: c.resolve(TOKENS.escrowReader),
      registry: c.resolve(TOKENS.models),
      key,
      clock: c.resolve(TOKENS.clock),
      log: c.resolve(TOKENS.log),
    }),
  )
}

function accountService(c: DependencyContainer, load: Load) {
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

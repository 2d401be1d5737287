import 'reflect-metadata'
import { container, type DependencyContainer } from 'tsyringe'
import type { ActorsConfig } from '../src/config/schema.ts'
import { LANES } from '../src/messages/subjects.ts'
import { TOKENS } from '../src/ports/tokens.ts'
import { Ownership, type ResourceKind } from '../src/runtime/ownership.ts'
import type { Log } from '../src/telemetry/log.ts'
import { makeAccountService } from './account/service.ts'
import { makeChainWatcher } from './chain-watcher/watcher.ts'
import { connectActors } from './connect.ts'
import { jobKind } from './job/actor.ts'
import { Edges } from './job/edges.ts'
import { Pools } from './job/pools.ts'
import { jobPartitions } from './job/resource.ts'
import { makeLane } from './settlement/lane.ts'

/** Connects an actor host to the world and starts the kinds of actors that its config names. */
export async function composeActors(
  config: ActorsConfig,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  const c = container.createChildContainer()
  const { hostId, deployBlock, close } = await connectActors(c, config, log)
  const pools = new Pools(c.resolve(TOKENS.bus), c.resolve(TOKENS.clock))
  const edges = new Edges(c.resolve(TOKENS.bus), c.resolve(TOKENS.clock))
  const account = accountService(c)
  const ownership = new Ownership({
    hostId,
    resources: [
      jobs(c, hostId, pools, edges),
      ...lanes(c, config),
      watcher(c, config, deployBlock),
    ].filter(({ kind }) => config.ACTOR_KINDS.some((wanted) => wanted === kind)),
    bus: c.resolve(TOKENS.bus),
    registry: c.resolve(TOKENS.placements),
    clock: c.resolve(TOKENS.clock),
    log,
  })

  edges.start()
  await pools.start()
  if (config.ACTOR_KINDS.includes('account')) await account.start()
  await ownership.start()
  log.info({ hostId, kinds: config.ACTOR_KINDS }, 'actors: ready')
  return {
    stop: async () => {
      await ownership.stop()
      await account.stop()
      pools.stop()
      edges.stop()
      await close()
    },
  }
}

function jobs(c: DependencyContainer, hostId: string, pools: Pools, edges: Edges): ResourceKind {
  const bus = c.resolve(TOKENS.bus)
  const clock = c.resolve(TOKENS.clock)
  const ledger = c.resolve(TOKENS.ledger)
  const outputs = c.resolve(TOKENS.outputs)
  return jobPartitions({
    hostId,
    kind: jobKind({ bus, clock, ledger, outputs, pools, edges }),
    bus,
    clock,
    journal: c.resolve(TOKENS.jobJournal),
    log: c.resolve(TOKENS.log),
  })
}

/** One writer a signing key: a lane is a resource that one host holds at a time. */
function lanes(c: DependencyContainer, config: ActorsConfig): ResourceKind[] {
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
        itemsMax: config.BATCH_ITEMS_MAX,
        confirmLockAt: config.ESCROW_ROUTE_AT,
      }),
    ),
  )
}

function watcher(c: DependencyContainer, config: ActorsConfig, deployBlock: number): ResourceKind {
  return single('chain-watcher', 'watcher', () =>
    makeChainWatcher({
      reader: c.resolve(TOKENS.escrowReader),
      ledger: c.resolve(TOKENS.ledger),
      bus: c.resolve(TOKENS.bus),
      registry: c.resolve(TOKENS.cursors),
      clock: c.resolve(TOKENS.clock),
      log: c.resolve(TOKENS.log),
      confirmations: config.CHAIN_CONFIRMATIONS,
      deployBlock,
    }),
  )
}

function accountService(c: DependencyContainer) {
  return makeAccountService({
    reader: c.resolve(TOKENS.escrowReader),
    ledger: c.resolve(TOKENS.ledger),
    bus: c.resolve(TOKENS.bus),
    clock: c.resolve(TOKENS.clock),
    log: c.resolve(TOKENS.log),
  })
}

/** Something that runs in one host at a time, made anew each time this host comes to hold it. */
function single(
  kind: string,
  name: string,
  make: () => { start(): Promise<void>; stop(): Promise<void> },
): ResourceKind {
  let running: ReturnType<typeof make> | undefined
  return {
    kind,
    names: [name],
    acquire: async () => {
      running = make()
      await running.start()
    },
    release: async () => {
      await running?.stop()
      running = undefined
    },
  }
}

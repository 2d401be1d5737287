import type { DependencyContainer } from 'tsyringe'
import type { ActorsConfig } from '../src/config/schema.ts'
import { LANES } from '../src/messages/subjects.ts'
import { TOKENS } from '../src/ports/tokens.ts'
import type { ResourceKind } from '../src/runtime/ownership.ts'
import type { Traces } from '../src/telemetry/traces.ts'
import type { LoadWallet } from './account/loader.ts'
import { makeCatalogueFollower } from './catalogue/follower.ts'
import { makeChainWatcher } from './chain-watcher/watcher.ts'
import { makeWatcherMetrics } from './chain-watcher/watcher-metrics.ts'
import { single } from './compose-single.ts'
import { makeLane } from './settlement/lane.ts'
import { makeLaneMetrics } from './settlement/lane-metrics.ts'

/** One writer a signing key: a lane is a resource that one host holds at a time. */
export function lanes(
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
        registrationsPerHour: config.WORKER_REGISTRATIONS_PER_HOUR,
      }),
    ),
  )
}

/** Tells what the chain has taken. */
export function watcher(
  c: DependencyContainer,
  config: ActorsConfig,
  { deployBlock, load }: { readonly deployBlock: number; readonly load: LoadWallet },
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

/** Keeps the models as the chain lists them. */
export function catalogue(c: DependencyContainer, key: string): ResourceKind {
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

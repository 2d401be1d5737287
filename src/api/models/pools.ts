import { weightedMedian } from '../../domain/median.ts'
import { type CatalogueModel, modelStatus } from '../../domain/models.ts'
import {
  type ModelLoad,
  POOL_SILENCE_MS,
  type PoolCensus,
  type PoolSummary,
} from '../../messages/pool.ts'
import { SUBJECTS } from '../../messages/subjects.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Catalogue } from '../../ports/catalogue.ts'
import type { Clock } from '../../ports/clock.ts'
import { makeHeardTime } from '../heard-time.ts'

/** A catalogue model that at least one worker serves now. */
export interface LiveModel {
  readonly model: CatalogueModel
  readonly activeWorkers: number
  /** Median time to first token over all workers; undefined before the model's first job. */
  readonly firstTokenMs: () => number | undefined
  /** The largest context that a worker here really takes, at most the model's own. */
  readonly contextWindow: number
}

/** What the pools say of themselves, as one list of live models. A retired one is none. */
export interface Pools {
  /** False at the beginning: that no worker serves a model then only means that nobody was heard. */
  readonly heard: boolean
  live(modelId: string): LiveModel | undefined
  /** In the catalogue's order. */
  all(): readonly LiveModel[]
  census(): Census
  /** Of the pools that live, those that shut down included. */
  ids(): readonly string[]
  stop(): void
}

/** All pools together. */
export interface Census extends PoolCensus {
  readonly pools: number
}

interface Options {
  readonly bus: Bus
  readonly clock: Clock
  readonly catalogue: Catalogue
}

export function makePools({ bus, clock, catalogue }: Options): Pools {
  const time = makeHeardTime({ bus, clock })
  const heard = new Map<string, { summary: PoolSummary; at: number }>()
  const subscription = bus.subscribe(SUBJECTS.poolSummary, (message) => {
    const summary = message as PoolSummary
    heard.set(summary.poolId, { summary, at: time.now() })
  })
  const ask = () => bus.publish(SUBJECTS.poolsAsk, {})
  bus.onConnection((connected) => {
    if (connected) ask()
  })
  ask()
  const askedAt = clock.monotonic()

  const living = (): PoolSummary[] => {
    const since = time.now() - POOL_SILENCE_MS
    for (const [poolId, { at }] of heard) if (at < since) heard.delete(poolId)
    return [...heard.values()].map(({ summary }) => summary)
  }
  const present = (): PoolSummary[] => living().filter((pool) => !pool.draining)
  const live = (model: CatalogueModel, pools: readonly PoolSummary[]): LiveModel | undefined => {
    if (modelStatus(model, clock.now()) === 'retired') return undefined
    const loads = pools.flatMap((pool) => {
      const load = Object.hasOwn(pool.models, model.id) ? pool.models[model.id] : undefined
      return load && load.workers > 0 ? [load] : []
    })
    return loads.length === 0 ? undefined : summarize(model, loads)
  }

  return {
    get heard() {
      return heard.size > 0 || clock.monotonic() - askedAt > POOL_SILENCE_MS
    },
    live: (modelId) => {
      const model = catalogue.find(modelId)
      return model && live(model, present())
    },
    all: () => {
      const pools = present()
      return catalogue.all().flatMap((model) => live(model, pools) ?? [])
    },
    census: () => takeTogether(present()),
    ids: () => living().map(({ poolId }) => poolId),
    stop: () => {
      time.stop()
      subscription.unsubscribe()
    },
  }
}

function takeTogether(pools: readonly PoolSummary[]): Census {
  const counted = pools.flatMap(({ census }) => census ?? [])
  const regions = new Map<string, number>()
  for (const census of counted) {
    for (const [name, workers] of Object.entries(census.regions)) {
      regions.set(name, (regions.get(name) ?? 0) + workers)
    }
  }
  return {
    pools: pools.length,
    workers: counted.reduce((sum, { workers }) => sum + workers, 0),
    regions: Object.fromEntries([...regions].sort(([, a], [, b]) => b - a)),
    jobsLastMinute: counted.reduce((sum, { jobsLastMinute }) => sum + jobsLastMinute, 0),
  }
}

function summarize(model: CatalogueModel, loads: readonly ModelLoad[]): LiveModel {
  const largest = Math.max(...loads.map((load) => load.contextWindow))
  return {
    model,
    activeWorkers: loads.reduce((sum, load) => sum + load.workers, 0),
    // Only the list of models asks for it; every chat request comes by here.
    firstTokenMs: () => medianFirstTokenMs(loads),
    // A pool that does not know its workers' windows says 0: the model's own then holds.
    contextWindow: largest > 0 ? Math.min(model.contextWindow, largest) : model.contextWindow,
  }
}

function medianFirstTokenMs(loads: readonly ModelLoad[]): number | undefined {
  return weightedMedian(
    loads.flatMap(({ firstTokensMs, measured }) =>
      firstTokensMs.map((value) => ({ value, weight: measured / firstTokensMs.length })),
    ),
  )
}

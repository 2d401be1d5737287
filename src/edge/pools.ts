import { CATALOGUE, findModel, type Model } from '../domain/models.ts'
import { type ModelLoad, POOL_SILENCE_MS, type PoolSummary } from '../messages/pool.ts'
import { SUBJECTS } from '../messages/subjects.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'

/** A catalogue model that at least one worker serves now. */
export interface LiveModel {
  readonly model: Model
  readonly activeWorkers: number
  /** Median time to first token over the workers; undefined before the first job. */
  readonly firstTokenMs: number | undefined
  /** The largest context that a worker here really takes, at most the model's own. */
  readonly contextWindow: number
}

/** What the pools say of themselves, as one list of live models. */
export interface Pools {
  live(modelId: string): LiveModel | undefined
  /** In the catalogue's order. */
  all(): readonly LiveModel[]
  stop(): void
}

export function makePools({ bus, clock }: { bus: Bus; clock: Clock }): Pools {
  const heard = new Map<string, { summary: PoolSummary; at: number }>()
  const subscription = bus.subscribe(SUBJECTS.poolSummary, (message) => {
    const summary = message as PoolSummary
    heard.set(summary.poolId, { summary, at: clock.monotonic() })
  })
  const ask = () => bus.publish(SUBJECTS.poolsAsk, {})
  bus.onConnection((connected) => {
    if (connected) ask()
  })
  ask()

  const present = (): PoolSummary[] => {
    const since = clock.monotonic() - POOL_SILENCE_MS
    for (const [poolId, { at }] of heard) if (at < since) heard.delete(poolId)
    return [...heard.values()].map(({ summary }) => summary).filter((pool) => !pool.draining)
  }
  const live = (model: Model, pools: readonly PoolSummary[]): LiveModel | undefined => {
    const loads = pools.flatMap((pool) => {
      const load = Object.hasOwn(pool.models, model.id) ? pool.models[model.id] : undefined
      return load && load.workers > 0 ? [load] : []
    })
    return loads.length === 0 ? undefined : summarize(model, loads)
  }

  return {
    live: (modelId) => {
      const model = findModel(modelId)
      return model && live(model, present())
    },
    all: () => {
      const pools = present()
      return CATALOGUE.flatMap((model) => live(model, pools) ?? [])
    },
    stop: () => subscription.unsubscribe(),
  }
}

function summarize(model: Model, loads: readonly ModelLoad[]): LiveModel {
  const largest = Math.max(...loads.map((load) => load.contextWindow))
  return {
    model,
    activeWorkers: loads.reduce((sum, load) => sum + load.workers, 0),
    firstTokenMs: medianFirstTokenMs(loads),
    // A pool that does not know its workers' windows says 0: the model's own then holds.
    contextWindow: largest > 0 ? Math.min(model.contextWindow, largest) : model.contextWindow,
  }
}

/** The median over pools of their medians, each counted once a worker. */
function medianFirstTokenMs(loads: readonly ModelLoad[]): number | undefined {
  const measured = loads
    .flatMap(({ firstTokenMs, workers }) =>
      firstTokenMs === null ? [] : [{ firstTokenMs, workers }],
    )
    .sort((a, b) => a.firstTokenMs - b.firstTokenMs)
  const half = measured.reduce((sum, load) => sum + load.workers, 0) / 2
  let passed = 0
  for (const { firstTokenMs, workers } of measured) {
    passed += workers
    if (passed >= half) return firstTokenMs
  }
  return undefined
}

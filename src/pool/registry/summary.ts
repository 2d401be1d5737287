import type { ModelLoad, PoolSummary } from '../../messages/pool.ts'
import type { Registry, Worker } from './state.ts'

/** The load of this pool as others see it. Slots of a worker count for each model it serves. */
export function summarize(registry: Registry, poolId: string): PoolSummary {
  const serving = new Map<string, Worker[]>()
  for (const worker of registry.workers.values()) {
    if (worker.draining) continue
    for (const model of worker.models.keys()) {
      const workers = serving.get(model)
      if (workers) workers.push(worker)
      else serving.set(model, [worker])
    }
  }
  const models = [...serving].map(([model, workers]) => [
    model,
    load(model, workers, registry.queues.get(model)?.size ?? 0),
  ])
  return { poolId, draining: registry.draining, models: Object.fromEntries(models) }
}

function load(model: string, workers: readonly Worker[], queued: number): ModelLoad {
  const outcomes = workers.flatMap((worker) => worker.outcomes)
  return {
    workers: workers.length,
    slots: sum(workers.map((worker) => worker.slots)),
    busy: sum(workers.map((worker) => worker.jobs.size)),
    queued,
    firstTokenMs: median(workers.flatMap((worker) => worker.firstTokensMs)),
    completionRate: outcomes.length === 0 ? 1 : outcomes.filter(Boolean).length / outcomes.length,
    contextWindow: Math.max(...workers.map((worker) => worker.models.get(model) ?? 0)),
  }
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)

/** Of an even number of values, the lower of the middle two; rounded to whole milliseconds. */
function median(values: readonly number[]): number | null {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  return Math.round(sorted[(sorted.length - 1) >> 1]!)
}

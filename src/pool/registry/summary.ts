import { evenSample, median } from '../../domain/median.ts'
import { FIRST_TOKENS_MOST, type ModelLoad, type PoolSummary } from '../../messages/pool.ts'
import type { Registry, Worker } from './state.ts'

/** The load of this pool as others see it. Slots of a worker count for each model it serves. */
export function summarize(registry: Registry, poolId: string): PoolSummary {
  const models = [...registry.serving].map(([model, workers]) => [
    model,
    load(model, [...workers], registry.queues.get(model)?.size ?? 0),
  ])
  return { poolId, draining: registry.draining, models: Object.fromEntries(models) }
}

function load(model: string, workers: readonly Worker[], queued: number): ModelLoad {
  const outcomes = workers.flatMap((worker) => worker.conduct.outcomes)
  const firstTokensMs = workers
    .flatMap((worker) => worker.conduct.firstTokens.get(model)?.medianMs ?? [])
    .map(Math.round)
    .sort((a, b) => a - b)
  return {
    workers: workers.length,
    slots: sum(workers.map((worker) => worker.slots)),
    // What is free at one that is not there helps nobody.
    busy: sum(workers.map(({ suspended, slots, jobs }) => (suspended ? slots : jobs.size))),
    queued,
    firstTokenMs: median(firstTokensMs) ?? null,
    firstTokensMs: evenSample(firstTokensMs, FIRST_TOKENS_MOST),
    measured: firstTokensMs.length,
    completionRate: outcomes.length === 0 ? 1 : outcomes.filter(Boolean).length / outcomes.length,
    contextWindow: Math.max(...workers.map((worker) => worker.models.get(model) ?? 0)),
  }
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)

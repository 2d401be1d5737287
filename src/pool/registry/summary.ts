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

/** Told twice a second of each model, whoever asks for it: one pass over the workers, without copies. */
function load(model: string, workers: readonly Worker[], queued: number): ModelLoad {
  let [slots, busy, ended, finished, contextWindow] = [0, 0, 0, 0, 0]
  const firstTokensMs: number[] = []
  for (const { slots: theirs, suspended, jobs, conduct, models } of workers) {
    slots += theirs
    // What is free at one that is not there helps nobody.
    busy += suspended ? theirs : jobs.size
    ended += conduct.outcomes.length
    for (const isFinished of conduct.outcomes) if (isFinished) finished++
    const firstTokens = conduct.firstTokens.get(model)
    if (firstTokens) firstTokensMs.push(Math.round(firstTokens.medianMs))
    contextWindow = Math.max(contextWindow, models.get(model) ?? 0)
  }
  firstTokensMs.sort((a, b) => a - b)
  return {
    workers: workers.length,
    ...{ slots, busy, queued, contextWindow },
    firstTokenMs: median(firstTokensMs) ?? null,
    firstTokensMs: evenSample(firstTokensMs, FIRST_TOKENS_MOST),
    measured: firstTokensMs.length,
    completionRate: ended === 0 ? 1 : finished / ended,
  }
}

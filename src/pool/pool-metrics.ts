import { modelStatus } from '../domain/models.ts'
import type { ModelLoad } from '../messages/pool.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Clock } from '../ports/clock.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Placements } from './placement/placement.ts'
import type { AttemptFailure } from './report.ts'

/** What a pool counts of the attempts that it was offered. */
export interface PoolMetrics {
  firstText(model: string, ms: number): void
  completed(model: string): void
  failed(model: string, reason: AttemptFailure['reason']): void
}

interface Options {
  readonly metrics: Metrics
  readonly placements: Pick<Placements, 'workers' | 'summary'>
  readonly poolId: string
  readonly catalogue: Pick<Catalogue, 'all'>
  readonly clock: Pick<Clock, 'now'>
}

export function makePoolMetrics({
  metrics,
  placements,
  poolId,
  catalogue,
  clock,
}: Options): PoolMetrics {
  /** By some worker somewhere, perhaps. */
  const served = () =>
    catalogue.all().flatMap((model) => {
      return modelStatus(model, clock.now()) === 'retired' ? [] : model.id
    })
  const ends = metrics.counter({
    name: 'svc_pool_attempts_total',
    help: 'Attempts by how they ended: completed, or the reason that the job was told.',
    labels: ['model', 'end'],
  })
  const first = metrics.histogram({
    name: 'svc_pool_first_text_seconds',
    help: 'From the offer to a worker until its first text.',
    labels: ['model'],
  })
  metrics.gauge(
    { name: 'svc_pool_workers', help: 'Workers connected to this pool.' },
    () => placements.workers,
  )
  const byModel = (
    name: `svc_${string}`,
    help: string,
    read: (load: ModelLoad) => number,
    idle: () => readonly string[] = () => [],
  ) =>
    metrics.gauge({ name, help, labels: ['model'] }, () => {
      const loads = Object.entries(placements.summary(poolId).models)
      const told = loads.map(([model, load]) => [model, read(load)] as const)
      return new Map([...idle().map((model) => [model, 0] as const), ...told])
    })
  byModel('svc_pool_slots', 'Slots of the workers that serve a model.', ({ slots }) => slots)
  byModel('svc_pool_slots_busy', 'Of those the busy ones.', ({ busy }) => busy)
  // An autoscaler takes a pod without a figure for one as full as it may be, and so would keep those without workers.
  byModel('svc_pool_queued', 'Jobs that wait for a slot.', ({ queued }) => queued, served)
  return {
    firstText: (model, ms) => first.observe({ model }, ms / 1_000),
    completed: (model) => ends.inc({ model, end: 'completed' }),
    failed: (model, reason) => ends.inc({ model, end: reason }),
  }
}

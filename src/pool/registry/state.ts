import type { Address, JobId } from '../../domain/ids.ts'
import { unreachable } from '../../domain/result.ts'
import { toUnixMs, type UnixMs } from '../../domain/time.ts'

/**
 * Who is connected to this pool, who is free, who waits. Memory of one process and no more: it is
 * true only as long as the connections are. `evolve` therefore changes it in place.
 */
export interface Registry {
  readonly workers: Map<Address, Worker>
  /** Jobs that wait for a slot, by model, oldest first. */
  readonly queues: Map<string, Map<JobId, Waiting>>
  arrivals: number
  draining: boolean
}

export interface WorkerProfile {
  readonly address: Address
  readonly workerId: number
  /** Catalogue id to the largest context served, in tokens. */
  readonly models: ReadonlyMap<string, number>
  readonly slots: number
}

export interface Worker extends Omit<WorkerProfile, 'models'> {
  readonly models: Map<string, number>
  /** Jobs that hold a slot, those that are being cancelled included. */
  readonly jobs: Set<JobId>
  draining: boolean
  /** Gets no job before this moment: it refused, kept silent or failed of late. */
  restUntil: UnixMs
  failuresInRow: number
  /** Smoothed time to first token; null before the first. */
  firstTokenEwmaMs: number | null
  /** Of the last jobs, newest last. */
  readonly firstTokensMs: number[]
  /** Whether each of the last jobs was finished, newest last. */
  readonly outcomes: boolean[]
}

export interface Placement {
  readonly jobId: JobId
  readonly model: string
  /** Workers that must not get it. */
  readonly exclude: ReadonlySet<Address>
}
export interface Waiting extends Placement {
  readonly arrival: number
}

/** How a worker left a job; `neutral` is nobody's merit and nobody's fault. */
export type Outcome = 'finished' | 'failed' | 'busy' | 'silent' | 'neutral'

export type RegistryEvent =
  | { readonly type: 'WorkerJoined'; readonly profile: WorkerProfile }
  | { readonly type: 'WorkerLeft'; readonly address: Address }
  | { readonly type: 'WorkerDrained'; readonly address: Address }
  | { readonly type: 'ModelDropped'; readonly address: Address; readonly model: string }
  | { readonly type: 'PoolDrained' }
  | { readonly type: 'JobQueued'; readonly placement: Placement }
  | { readonly type: 'JobUnqueued'; readonly jobId: JobId; readonly model: string }
  /** A slot of `address` is this job's now. */
  | { readonly type: 'JobHeld'; readonly jobId: JobId; readonly address: Address }
  /** It waited, and nobody is left who could take it. Always with JobUnqueued. */
  | { readonly type: 'JobStranded'; readonly jobId: JobId }
  | {
      readonly type: 'SlotFreed'
      readonly address: Address
      readonly jobId: JobId
      readonly outcome: Outcome
      readonly at: UnixMs
    }
  | { readonly type: 'FirstTokenSeen'; readonly address: Address; readonly firstTokenMs: number }

export const emptyRegistry = (): Registry => ({
  workers: new Map(),
  queues: new Map(),
  arrivals: 0,
  draining: false,
})

const REMEMBERED_JOBS = 32
const EWMA_WEIGHT = 0.2

export function evolve(registry: Registry, event: RegistryEvent): void {
  switch (event.type) {
    case 'WorkerJoined':
      registry.workers.set(event.profile.address, newcomer(event.profile))
      return
    case 'WorkerLeft':
      registry.workers.delete(event.address)
      return
    case 'PoolDrained':
      registry.draining = true
      return
    case 'JobQueued':
      queueOf(registry, event.placement.model).set(event.placement.jobId, {
        ...event.placement,
        arrival: registry.arrivals++,
      })
      return
    case 'JobUnqueued':
      leaveQueue(registry, event.model, event.jobId)
      return
    case 'JobStranded':
      return
    default: {
      const worker = registry.workers.get(event.address)
      if (worker) evolveWorker(worker, event)
    }
  }
}

type WorkerEvent = Extract<
  RegistryEvent,
  { type: 'WorkerDrained' | 'ModelDropped' | 'JobHeld' | 'SlotFreed' | 'FirstTokenSeen' }
>

function evolveWorker(worker: Worker, event: WorkerEvent): void {
  switch (event.type) {
    case 'WorkerDrained':
      worker.draining = true
      return
    case 'ModelDropped':
      worker.models.delete(event.model)
      return
    case 'JobHeld':
      worker.jobs.add(event.jobId)
      return
    case 'SlotFreed':
      worker.jobs.delete(event.jobId)
      judge(worker, event.outcome, event.at)
      return
    case 'FirstTokenSeen':
      remember(worker.firstTokensMs, event.firstTokenMs)
      worker.firstTokenEwmaMs =
        worker.firstTokenEwmaMs === null
          ? event.firstTokenMs
          : worker.firstTokenEwmaMs * (1 - EWMA_WEIGHT) + event.firstTokenMs * EWMA_WEIGHT
      return
    default:
      unreachable(event)
  }
}

const REST_MS = { busy: 250, silent: 2_000, failedFirst: 250, failedMax: 8_000 } as const

/**
 * A worker that fails at once always looks the least loaded and would draw in every job, so it
 * rests. One failure alone may be the job's doing and costs no rest.
 */
function judge(worker: Worker, outcome: Outcome, at: UnixMs): void {
  if (outcome === 'finished') {
    worker.failuresInRow = 0
    worker.restUntil = toUnixMs(0)
    remember(worker.outcomes, true)
  } else if (outcome === 'failed') {
    worker.failuresInRow++
    remember(worker.outcomes, false)
    if (worker.failuresInRow > 1) {
      const doubled = REST_MS.failedFirst * 2 ** (worker.failuresInRow - 2)
      rest(worker, at, Math.min(doubled, REST_MS.failedMax))
    }
  } else if (outcome !== 'neutral') {
    rest(worker, at, REST_MS[outcome])
  }
}

const rest = (worker: Worker, at: UnixMs, spanMs: number): void => {
  worker.restUntil = toUnixMs(Math.max(worker.restUntil, at + spanMs))
}

const newcomer = (profile: WorkerProfile): Worker => ({
  ...profile,
  models: new Map(profile.models),
  jobs: new Set(),
  draining: false,
  restUntil: toUnixMs(0),
  failuresInRow: 0,
  firstTokenEwmaMs: null,
  firstTokensMs: [],
  outcomes: [],
})

function queueOf(registry: Registry, model: string): Map<JobId, Waiting> {
  const known = registry.queues.get(model)
  if (known) return known
  const queue = new Map<JobId, Waiting>()
  registry.queues.set(model, queue)
  return queue
}

function leaveQueue(registry: Registry, model: string, jobId: JobId): void {
  const queue = registry.queues.get(model)
  queue?.delete(jobId)
  if (queue?.size === 0) registry.queues.delete(model)
}

function remember<Item>(items: Item[], item: Item): void {
  items.push(item)
  if (items.length > REMEMBERED_JOBS) items.shift()
}

import type { Address, JobId } from '../../domain/ids.ts'
import { unreachable } from '../../domain/result.ts'
import type { UnixMs } from '../../domain/time.ts'
import type {
  Outcome,
  Placement,
  Registry,
  RegistryEvent,
  Waiting,
  Worker,
  WorkerProfile,
} from './state.ts'

export type RegistryCommand =
  /** A worker connected; one that was connected already is replaced. */
  | { readonly type: 'Join'; readonly profile: WorkerProfile; readonly at: UnixMs }
  | { readonly type: 'Leave'; readonly address: Address; readonly at: UnixMs }
  | { readonly type: 'DrainWorker'; readonly address: Address; readonly at: UnixMs }
  | {
      readonly type: 'DropModel'
      readonly address: Address
      readonly model: string
      readonly at: UnixMs
    }
  | { readonly type: 'DrainPool'; readonly at: UnixMs }
  /** Nothing said: nobody here can take it. */
  | { readonly type: 'Place'; readonly placement: Placement; readonly at: UnixMs }
  | { readonly type: 'Withdraw'; readonly jobId: JobId; readonly model: string }
  | {
      readonly type: 'Free'
      readonly address: Address
      readonly jobId: JobId
      readonly outcome: Outcome
      readonly at: UnixMs
    }
  | { readonly type: 'SeeFirstToken'; readonly address: Address; readonly firstTokenMs: number }
  /** Time passed: workers that rested may take what waits. */
  | { readonly type: 'Wake'; readonly at: UnixMs }

/** A whole number from 0 up to, and without, `below`. */
export type PickBelow = (below: number) => number

/** What follows from `command`. Pure: time and chance come in. */
export function decide(
  registry: Registry,
  command: RegistryCommand,
  pick: PickBelow,
): readonly RegistryEvent[] {
  switch (command.type) {
    case 'Join':
      return decideJoin(registry, command.profile, command.at)
    case 'Leave':
      return decideLeave(registry, command.address)
    case 'DrainWorker':
      return decideDrainWorker(registry, command.address)
    case 'DropModel':
      return decideDropModel(registry, command.address, command.model)
    case 'DrainPool':
      return decideDrainPool(registry)
    case 'Place':
      return decidePlace(registry, command.placement, command.at, pick)
    case 'Withdraw':
      return registry.queues.get(command.model)?.has(command.jobId)
        ? [{ type: 'JobUnqueued', jobId: command.jobId, model: command.model }]
        : []
    case 'Free':
      return decideFree(registry, command)
    case 'SeeFirstToken':
      return registry.workers.has(command.address) ? [{ ...command, type: 'FirstTokenSeen' }] : []
    case 'Wake':
      return decideWake(registry, command.at)
    default:
      return unreachable(command)
  }
}

function decideJoin(registry: Registry, profile: WorkerProfile, at: UnixMs): RegistryEvent[] {
  const before = registry.workers.get(profile.address)
  const gone: RegistryEvent[] = before
    ? [
        { type: 'WorkerLeft', address: before.address },
        ...[...before.models.keys()]
          .filter((model) => !profile.models.has(model))
          .flatMap((model) => strand(registry, model, before)),
      ]
    : []
  const free = { ...profile, jobs: new Set<JobId>(), draining: false, restUntil: at }
  return [...gone, { type: 'WorkerJoined', profile }, ...takeWaiting(registry, free, at)]
}

function decideLeave(registry: Registry, address: Address): RegistryEvent[] {
  const worker = registry.workers.get(address)
  if (!worker) return []
  return [{ type: 'WorkerLeft', address }, ...strandAll(registry, worker)]
}

function decideDrainWorker(registry: Registry, address: Address): RegistryEvent[] {
  const worker = registry.workers.get(address)
  if (!worker || worker.draining) return []
  return [{ type: 'WorkerDrained', address }, ...strandAll(registry, worker)]
}

function decideDropModel(registry: Registry, address: Address, model: string): RegistryEvent[] {
  const worker = registry.workers.get(address)
  if (!worker?.models.has(model)) return []
  return [{ type: 'ModelDropped', address, model }, ...strand(registry, model, worker)]
}

function decideDrainPool(registry: Registry): RegistryEvent[] {
  const waiting = [...registry.queues.values()].flatMap((queue) => [...queue.values()])
  return [{ type: 'PoolDrained' }, ...waiting.flatMap(stranded)]
}

function decidePlace(
  registry: Registry,
  placement: Placement,
  at: UnixMs,
  pick: PickBelow,
): RegistryEvent[] {
  const able = [...registry.workers.values()].filter((worker) => mayTake(worker, placement))
  if (registry.draining || able.length === 0) return []
  const ready = able.filter((worker) => isReady(worker, at))
  if (ready.length === 0) return [{ type: 'JobQueued', placement }]
  return [{ type: 'JobHeld', jobId: placement.jobId, address: ofTwo(ready, pick).address }]
}

function decideFree(
  registry: Registry,
  command: Extract<RegistryCommand, { type: 'Free' }>,
): RegistryEvent[] {
  const worker = registry.workers.get(command.address)
  if (!worker?.jobs.has(command.jobId)) return []
  const freed: RegistryEvent = { ...command, type: 'SlotFreed' }
  // One that refuses or fails gets its next job when it has rested, at the next Wake.
  if (command.outcome !== 'finished' && command.outcome !== 'neutral') return [freed]
  const jobs = new Set(worker.jobs)
  jobs.delete(command.jobId)
  const restUntil = command.outcome === 'finished' ? command.at : worker.restUntil
  return [freed, ...takeWaiting(registry, { ...worker, jobs, restUntil }, command.at)]
}

function decideWake(registry: Registry, at: UnixMs): RegistryEvent[] {
  if (registry.queues.size === 0) return []
  const taken = new Set<JobId>()
  return [...registry.workers.values()].flatMap((worker) =>
    takeWaiting(registry, worker, at, taken),
  )
}

type Taker = Pick<Worker, 'address' | 'slots' | 'jobs' | 'draining' | 'restUntil'> & {
  readonly models: ReadonlyMap<string, number>
}

/** Fills the free slots of `worker` with what has waited longest. */
function takeWaiting(
  registry: Registry,
  worker: Taker,
  at: UnixMs,
  taken = new Set<JobId>(),
): RegistryEvent[] {
  const events: RegistryEvent[] = []
  if (registry.queues.size === 0 || worker.restUntil > at || worker.draining) return events
  for (let free = worker.slots - worker.jobs.size; free > 0; free--) {
    const next = longestWaiting(registry, worker, taken)
    if (!next) break
    taken.add(next.jobId)
    events.push(
      { type: 'JobUnqueued', jobId: next.jobId, model: next.model },
      { type: 'JobHeld', jobId: next.jobId, address: worker.address },
    )
  }
  return events
}

function longestWaiting(
  registry: Registry,
  worker: Taker,
  taken: ReadonlySet<JobId>,
): Waiting | undefined {
  let first: Waiting | undefined
  for (const model of worker.models.keys()) {
    for (const waiting of registry.queues.get(model)?.values() ?? []) {
      if (taken.has(waiting.jobId) || !mayTake(worker, waiting)) continue
      if (!first || waiting.arrival < first.arrival) first = waiting
      break
    }
  }
  return first
}

/** Whether the worker could ever take this job; being busy or at rest does not matter here. */
const mayTake = (worker: Taker, { jobId, model, exclude }: Placement): boolean =>
  worker.models.has(model) &&
  !worker.draining &&
  !exclude.has(worker.address) &&
  // An earlier attempt of the job is still being cancelled there, and messages name the job only.
  !worker.jobs.has(jobId)

const isReady = (worker: Worker, at: UnixMs): boolean =>
  worker.jobs.size < worker.slots && worker.restUntil <= at

/**
 * The better of two taken at random: close to the best of all, without every pool and every moment
 * rushing to the same one.
 */
function ofTwo(ready: readonly Worker[], pick: PickBelow): Worker {
  if (ready.length === 1) return ready[0]!
  const first = pick(ready.length)
  const second = (first + 1 + pick(ready.length - 1)) % ready.length
  return better(ready[first]!, ready[second]!)
}

function better(a: Worker, b: Worker): Worker {
  const difference = a.jobs.size / a.slots - b.jobs.size / b.slots
  if (difference !== 0) return difference < 0 ? a : b
  // One that has shown nothing yet goes first: that is how it gets measured.
  return (a.firstTokenEwmaMs ?? 0) <= (b.firstTokenEwmaMs ?? 0) ? a : b
}

const strandAll = (registry: Registry, without: Worker): RegistryEvent[] =>
  [...without.models.keys()].flatMap((model) => strand(registry, model, without))

/** Jobs that wait for `model` and that nobody but `without` could take. */
function strand(registry: Registry, model: string, without: Worker): RegistryEvent[] {
  const queue = registry.queues.get(model)
  if (!queue) return []
  const others = [...registry.workers.values()].filter(
    (worker) => worker !== without && worker.models.has(model) && !worker.draining,
  )
  return [...queue.values()]
    .filter((waiting) => !others.some((worker) => mayTake(worker, waiting)))
    .flatMap(stranded)
}

const stranded = ({ jobId, model }: Waiting): RegistryEvent[] => [
  { type: 'JobUnqueued', jobId, model },
  { type: 'JobStranded', jobId },
]

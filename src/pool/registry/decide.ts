import type { Address, JobId } from '../../domain/ids.ts'
import { unreachable } from '../../domain/result.ts'
import type { UnixMs } from '../../domain/time.ts'
import { choose, mayTake, type PickBelow } from './choice.ts'
import { type JobEnd, judged, unknownConduct } from './conduct.ts'
import type { Registry, RegistryEvent, Taker, Worker, WorkerProfile } from './state.ts'
import { type Turns, takeWaiting } from './take-waiting.ts'
import type { Placement, Waiting } from './waiting.ts'

export type RegistryCommand =
  /** A worker connected; one that was connected already is replaced. */
  | { readonly type: 'Join'; readonly profile: WorkerProfile; readonly at: UnixMs }
  | { readonly type: 'Leave'; readonly address: Address }
  /** It is about to leave in the middle of jobs of these wallets, one entry a job. */
  | {
      readonly type: 'Lose'
      readonly address: Address
      readonly wallets: readonly Address[]
      readonly at: UnixMs
    }
  | { readonly type: 'DrainWorker'; readonly address: Address }
  /** Its stream broke; it may be back. */
  | { readonly type: 'Suspend'; readonly address: Address }
  | { readonly type: 'Resume'; readonly address: Address; readonly at: UnixMs }
  | { readonly type: 'DropModel'; readonly address: Address; readonly model: string }
  /** The worker gets jobs of one more model, or with another largest context. */
  | {
      readonly type: 'TakeModel'
      readonly address: Address
      readonly model: string
      readonly contextWindow: number
      readonly at: UnixMs
    }
  | { readonly type: 'DrainPool' }
  /** Nothing said: nobody here can take it. */
  | {
      readonly type: 'Place'
      readonly placement: Placement
      /** Whether it waits for a slot where all are busy. */
      readonly mayWait: boolean
      readonly at: UnixMs
    }
  /** A slot for a job that is no caller's, and counts in nothing. Nothing said: none can be had now. */
  | {
      readonly type: 'HoldCanary'
      readonly address: Address
      readonly jobId: JobId
      readonly at: UnixMs
    }
  | { readonly type: 'Withdraw'; readonly jobId: JobId; readonly model: string }
  | {
      readonly type: 'Free'
      readonly address: Address
      readonly jobId: JobId
      readonly end: JobEnd
    }
  /** How it left a job whose slot it still holds: what it must answer for does not wait until it lets go. */
  | { readonly type: 'Judge'; readonly address: Address; readonly end: JobEnd }
  /** It broke the rules outside of any job that it holds. */
  | {
      readonly type: 'Blame'
      readonly address: Address
      readonly why: string
      readonly at: UnixMs
    }
  | {
      readonly type: 'SeeFirstToken'
      readonly address: Address
      readonly model: string
      readonly firstTokenMs: number
    }
  /** Time passed: workers that rested may take what waits. */
  | { readonly type: 'Wake'; readonly at: UnixMs }

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
    case 'Lose':
      return decideLose(registry, command)
    case 'DrainWorker':
      return decideDrainWorker(registry, command.address)
    case 'Suspend':
      return decideSuspend(registry, command.address)
    case 'Resume':
      return decideResume(registry, command.address, command.at)
    case 'DropModel':
      return decideDropModel(registry, command.address, command.model)
    case 'TakeModel':
      return decideTakeModel(registry, command)
    case 'DrainPool':
      return decideDrainPool(registry)
    case 'Place':
      return decidePlace(registry, command, pick)
    case 'HoldCanary':
      return decideHoldCanary(registry, command)
    case 'Withdraw':
      return registry.queues.get(command.model)?.has(command.jobId)
        ? [{ type: 'JobUnqueued', jobId: command.jobId, model: command.model, turnOf: null }]
        : []
    case 'Free':
      return decideFree(registry, command)
    case 'SeeFirstToken':
      return registry.workers.get(command.address)?.models.has(command.model)
        ? [{ ...command, type: 'FirstTokenSeen' }]
        : []
    case 'Blame':
      return registry.workers.has(command.address) ? [{ ...command, type: 'WorkerBlamed' }] : []
    case 'Judge':
      return registry.workers.has(command.address) ? [{ ...command, type: 'WorkerJudged' }] : []
    case 'Wake':
      return decideWake(registry, command.at)
    default:
      return unreachable(command)
  }
}

function decideJoin(registry: Registry, profile: WorkerProfile, at: UnixMs): RegistryEvent[] {
  const before = registry.workers.get(profile.address)
  const conduct = before?.conduct ?? registry.past.get(profile.address) ?? unknownConduct()
  const free = { ...profile, jobs: new Set<JobId>(), draining: false, suspended: false, conduct }
  const gone: RegistryEvent[] = before
    ? [
        { type: 'WorkerLeft', address: before.address },
        ...[...before.models.keys()].flatMap((model) => strand(registry, model, before, free)),
      ]
    : []
  return [...gone, { type: 'WorkerJoined', profile }, ...takeWaiting(registry, free, at)]
}

function decideLeave(registry: Registry, address: Address): RegistryEvent[] {
  const worker = registry.workers.get(address)
  if (!worker) return []
  return [{ type: 'WorkerLeft', address }, ...strandAll(registry, worker)]
}

/** A worker that drains, or whose pool does, has said that it leaves: that is no failure. */
function decideLose(
  registry: Registry,
  { address, wallets, at }: Extract<RegistryCommand, { type: 'Lose' }>,
): RegistryEvent[] {
  const worker = registry.workers.get(address)
  if (!worker || worker.draining || registry.draining || wallets.length === 0) return []
  return [{ type: 'JobsLost', address, wallets, at }]
}

function decideDrainWorker(registry: Registry, address: Address): RegistryEvent[] {
  const worker = registry.workers.get(address)
  if (!worker || worker.draining) return []
  return [{ type: 'WorkerDrained', address }, ...strandAll(registry, worker)]
}

function decideSuspend(registry: Registry, address: Address): RegistryEvent[] {
  const worker = registry.workers.get(address)
  return worker && !worker.suspended ? [{ type: 'WorkerSuspended', address }] : []
}

function decideResume(registry: Registry, address: Address, at: UnixMs): RegistryEvent[] {
  const worker = registry.workers.get(address)
  if (!worker?.suspended) return []
  const back = { ...worker, suspended: false }
  return [{ type: 'WorkerResumed', address }, ...takeWaiting(registry, back, at)]
}

function decideDropModel(registry: Registry, address: Address, model: string): RegistryEvent[] {
  const worker = registry.workers.get(address)
  if (!worker?.models.has(model)) return []
  return [{ type: 'ModelDropped', address, model }, ...strand(registry, model, worker)]
}

function decideTakeModel(
  registry: Registry,
  command: Extract<RegistryCommand, { type: 'TakeModel' }>,
): RegistryEvent[] {
  const { address, model, contextWindow, at } = command
  const worker = registry.workers.get(address)
  if (!worker || worker.models.get(model) === contextWindow) return []
  const after = { ...worker, models: new Map(worker.models).set(model, contextWindow) }
  return [
    { type: 'ModelTaken', address, model, contextWindow },
    ...strand(registry, model, worker, after),
    ...takeWaiting(registry, after, at),
  ]
}

function decideDrainPool(registry: Registry): RegistryEvent[] {
  const waiting = [...registry.queues.values()].flatMap((queue) => [...queue.all()])
  return [{ type: 'PoolDrained' }, ...waiting.flatMap(stranded)]
}

function decidePlace(
  registry: Registry,
  { placement, mayWait, at }: Extract<RegistryCommand, { type: 'Place' }>,
  pick: PickBelow,
): RegistryEvent[] {
  if (registry.draining || !someoneMayTake(registry, placement)) return []
  const worker = choose(registry, placement, at, pick)
  if (worker) return [{ type: 'JobHeld', jobId: placement.jobId, address: worker.address }]
  return mayWait ? [{ type: 'JobQueued', placement }] : []
}

function decideHoldCanary(
  registry: Registry,
  { address, jobId, at }: Extract<RegistryCommand, { type: 'HoldCanary' }>,
): RegistryEvent[] {
  const worker = registry.workers.get(address)
  if (!worker || worker.draining || worker.suspended || registry.draining) return []
  if (worker.jobs.size >= worker.slots || worker.conduct.restUntil > at) return []
  return [{ type: 'CanaryHeld', address, jobId }]
}

function decideFree(
  registry: Registry,
  command: Extract<RegistryCommand, { type: 'Free' }>,
): RegistryEvent[] {
  const worker = registry.workers.get(command.address)
  if (!worker?.jobs.has(command.jobId)) return []
  const { end, jobId } = command
  const freed: RegistryEvent = { ...command, type: 'SlotFreed' }
  if (registry.queues.size === 0) return [freed]
  const jobs = new Set(worker.jobs)
  jobs.delete(jobId)
  const conduct = judged(worker.conduct, end)
  return [freed, ...takeWaiting(registry, { ...worker, jobs, conduct }, end.at)]
}

function decideWake(registry: Registry, at: UnixMs): RegistryEvent[] {
  const turns: Turns = { taken: new Set(), had: new Map() }
  const able = new Set<Worker>()
  for (const model of registry.queues.keys()) {
    for (const worker of registry.open.get(model) ?? []) able.add(worker)
  }
  return [...able].flatMap((worker) => takeWaiting(registry, worker, at, turns))
}

/** Whether anybody but `without` could ever take this job. */
export function someoneMayTake(
  registry: Registry,
  placement: Placement,
  without?: Worker,
): boolean {
  for (const worker of registry.serving.get(placement.model) ?? []) {
    if (worker !== without && mayTake(worker, placement)) return true
  }
  return false
}

const strandAll = (registry: Registry, without: Worker): RegistryEvent[] =>
  [...without.models.keys()].flatMap((model) => strand(registry, model, without))

/**
 * Jobs that wait for `model` and that nobody but `without` could take.
 * @param instead as it is from now on: perhaps with less context than a job needs
 */
const strand = (
  registry: Registry,
  model: string,
  without: Worker,
  instead?: Taker,
): RegistryEvent[] =>
  [...(registry.queues.get(model)?.all() ?? [])]
    .filter((waiting) => !someoneMayTake(registry, waiting, without))
    .filter((waiting) => !instead || !mayTake(instead, waiting))
    .flatMap(stranded)

const stranded = ({ jobId, model }: Waiting): RegistryEvent[] => [
  { type: 'JobUnqueued', jobId, model, turnOf: null },
  { type: 'JobStranded', jobId },
]

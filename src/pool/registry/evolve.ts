import type { Address } from '../../domain/ids.ts'
import { trim } from '../../domain/newest.ts'
import { unreachable } from '../../domain/result.ts'
import { Bag } from './bag.ts'
import {
  blame,
  type JobEnd,
  judge,
  judgeLost,
  type Outcome,
  rememberFirstToken,
  unknownConduct,
} from './conduct.ts'
import { FairQueue } from './fair-queue.ts'
import type { Registry, RegistryEvent, Tally, Worker, WorkerProfile } from './state.ts'
import type { Placement } from './waiting.ts'

const PAST_MOST = 10_000

/** Changes the registry by what has happened. */
export function evolve(registry: Registry, event: RegistryEvent): void {
  switch (event.type) {
    case 'WorkerJoined':
      join(registry, event.profile)
      return
    case 'WorkerLeft':
      leave(registry, event.address)
      return
    case 'PoolDrained':
      registry.draining = true
      return
    case 'JobQueued':
      enqueue(registry, event.placement)
      return
    case 'JobUnqueued':
      unqueue(registry, event)
      return
    case 'JobStranded':
      return
    default: {
      const worker = registry.workers.get(event.address)
      if (!worker) return
      evolveWorker(worker, event)
      if (event.type === 'FirstTokenSeen') return
      for (const model of worker.models.keys()) index(registry, worker, model)
      if (event.type === 'ModelDropped') index(registry, worker, event.model)
    }
  }
}

type WorkerEvent = Extract<
  RegistryEvent,
  {
    type:
      | 'WorkerDrained'
      | 'WorkerSuspended'
      | 'WorkerResumed'
      | 'ModelDropped'
      | 'ModelTaken'
      | 'JobHeld'
      | 'CanaryHeld'
      | 'SlotFreed'
      | 'FirstTokenSeen'
      | 'WorkerBlamed'
      | 'WorkerJudged'
      | 'JobsLost'
  }
>

function evolveWorker(worker: Worker, event: WorkerEvent): void {
  switch (event.type) {
    case 'WorkerDrained':
      worker.draining = true
      return
    case 'WorkerSuspended':
      worker.suspended = true
      return
    case 'WorkerResumed':
      worker.suspended = false
      return
    case 'ModelDropped':
      worker.models.delete(event.model)
      worker.conduct.firstTokens.delete(event.model)
      return
    case 'ModelTaken':
      worker.models.set(event.model, event.contextWindow)
      return
    case 'JobHeld':
      worker.jobs.add(event.jobId)
      worker.tally.offered++
      return
    case 'CanaryHeld':
      worker.jobs.add(event.jobId)
      return
    case 'SlotFreed':
      worker.jobs.delete(event.jobId)
      account(worker, event.end)
      return
    case 'WorkerJudged':
      account(worker, event.end)
      return
    case 'FirstTokenSeen':
      rememberFirstToken(worker.conduct, event.model, event.firstTokenMs)
      return
    case 'JobsLost':
      worker.tally.failed += event.wallets.length
      judgeLost(worker.conduct, { ...event, why: 'its connection broke while it ran a job' })
      return
    case 'WorkerBlamed':
      blame(worker.conduct, event)
      return
    default:
      unreachable(event)
  }
}

function join(registry: Registry, profile: WorkerProfile): void {
  const { address } = profile
  const worker = newcomer(profile, registry.past.get(address) ?? unknownConduct())
  registry.past.delete(address)
  registry.workers.set(address, worker)
  for (const model of worker.models.keys()) index(registry, worker, model)
}

function leave(registry: Registry, address: Address): void {
  const worker = registry.workers.get(address)
  if (!worker) return
  registry.workers.delete(address)
  registry.past.set(address, worker.conduct)
  trim(registry.past, PAST_MOST)
  for (const model of worker.models.keys()) index(registry, worker, model)
}

const newcomer = (profile: WorkerProfile, conduct: Worker['conduct']): Worker => ({
  ...profile,
  models: new Map(profile.models),
  jobs: new Set(),
  draining: false,
  suspended: false,
  conduct,
  tally: { offered: 0, finished: 0, failed: 0, refused: 0 },
})

/** Puts the worker where those are found that serve `model`, or takes it away from there. */
function index(registry: Registry, worker: Worker, model: string): void {
  const serves =
    registry.workers.get(worker.address) === worker && worker.models.has(model) && !worker.draining
  keep(registry.serving, model, worker, serves)
  keep(registry.open, model, worker, serves && !worker.suspended && worker.jobs.size < worker.slots)
}

function keep(by: Map<string, Bag<Worker>>, model: string, worker: Worker, inside: boolean): void {
  const known = by.get(model)
  if (inside) {
    const bag = known ?? new Bag<Worker>()
    if (!known) by.set(model, bag)
    bag.add(worker)
    return
  }
  known?.delete(worker)
  if (known?.size === 0) by.delete(model)
}

function enqueue(registry: Registry, placement: Placement): void {
  const queue = registry.queues.get(placement.model) ?? new FairQueue()
  registry.queues.set(placement.model, queue)
  queue.add({ ...placement, arrival: registry.stamps++ })
}

function unqueue(
  registry: Registry,
  { jobId, model, turnOf }: Extract<RegistryEvent, { type: 'JobUnqueued' }>,
): void {
  const queue = registry.queues.get(model)
  queue?.delete(jobId)
  if (queue?.size === 0) registry.queues.delete(model)
  if (turnOf === null) return
  const at = registry.stamps++
  for (const each of registry.queues.values()) each.passTurn(turnOf, at)
}

function account({ tally, conduct }: Worker, end: JobEnd): void {
  count(tally, end.outcome)
  judge(conduct, end)
}

function count(tally: Tally, outcome: Outcome): void {
  if (outcome === 'finished') tally.finished++
  else if (outcome === 'failed' || outcome === 'broke' || outcome === 'silent') tally.failed++
  else if (outcome === 'busy' || outcome === 'declined') tally.refused++
}

import type { Address, JobId } from '../../domain/ids.ts'
import type { UnixMs } from '../../domain/time.ts'
import { isReady, mayTake } from './choice.ts'
import { isBefore, type Next } from './fair-queue.ts'
import type { Registry, RegistryEvent, Taker } from './state.ts'
import type { Waiting } from './waiting.ts'

/** What one decision has given away so far. */
export interface Turns {
  readonly taken: Set<JobId>
  /** By wallet. */
  readonly had: Map<Address, number>
}

/** Fills the free slots of `worker`, wallet by wallet. */
export function takeWaiting(
  registry: Registry,
  worker: Taker,
  at: UnixMs,
  turns: Turns = { taken: new Set(), had: new Map() },
): RegistryEvent[] {
  const events: RegistryEvent[] = []
  if (registry.queues.size === 0 || worker.draining || worker.suspended) return events
  for (let busy = worker.jobs.size; busy < worker.slots; busy++) {
    const next = nextInTurn(registry, worker, turns, (waiting) =>
      isReady(worker, busy, waiting.wallet, at),
    )
    if (!next) break
    const { jobId, model, wallet } = next
    turns.taken.add(jobId)
    turns.had.set(wallet, (turns.had.get(wallet) ?? 0) + 1)
    events.push(
      { type: 'JobUnqueued', jobId, model, turnOf: wallet },
      { type: 'JobHeld', jobId, address: worker.address },
    )
  }
  return events
}

function nextInTurn(
  registry: Registry,
  worker: Taker,
  { taken, had }: Turns,
  isReadyFor: (waiting: Waiting) => boolean,
): Waiting | undefined {
  let first: Next | undefined
  const fits = (waiting: Waiting): boolean =>
    !taken.has(waiting.jobId) && mayTake(worker, waiting) && isReadyFor(waiting)
  for (const model of worker.models.keys()) {
    const next = registry.queues.get(model)?.next(fits, had)
    if (next && (!first || isBefore(next, first))) first = next
  }
  return first?.waiting
}

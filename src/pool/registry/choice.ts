import type { Address } from '../../domain/ids.ts'
import type { UnixMs } from '../../domain/time.ts'
import { rests } from './conduct.ts'
import type { Registry, Taker, Worker } from './state.ts'
import type { Placement } from './waiting.ts'

/** A whole number from 0 up to, and without, `below`. */
export type PickBelow = (below: number) => number

/** One choice in so many goes by the load alone, so that one that was slow once is measured again. */
const MEASURE_AGAIN = 32
/** What the way to a worker costs in any case, so that a few milliseconds decide little. */
const FLOOR_MS = 50
/** Jobs that are taken as finished before the first: one failure among few says little. */
const GOOD_WILL = 4

/** Whether the worker could ever take this job; being busy or at rest does not matter here. */
export const mayTake = (
  worker: Taker,
  { jobId, model, exclude, contextAbove }: Placement,
): boolean =>
  !worker.draining &&
  (worker.models.get(model) ?? -1) > (contextAbove ?? -1) &&
  !exclude.has(worker.address) &&
  // An earlier attempt of the job is still being cancelled there, and messages name the job only.
  !worker.jobs.has(jobId)

/** Whether it may have one more job of this wallet now, with `busy` slots taken. */
export const isReady = (
  { slots, conduct }: Taker,
  busy: number,
  wallet: Address,
  at: UnixMs,
): boolean => busy < (conduct.onProbation ? 1 : slots) && !rests(conduct, wallet, at)

/**
 * The better of two taken at random: close to the best of all, without every pool and every moment
 * rushing to the same one. The time it takes does not grow with the workers while most that have a
 * slot free can be chosen.
 */
export function choose(
  registry: Registry,
  placement: Placement,
  at: UnixMs,
  pick: PickBelow,
): Worker | undefined {
  const open = registry.open.get(placement.model)
  if (!open || open.size === 0) return undefined
  const fits = (worker: Worker): boolean =>
    mayTake(worker, placement) && isReady(worker, worker.jobs.size, placement.wallet, at)
  const [first, second] = drawTwo(open.size, pick)
  const [a, b] = [open.at(first), open.at(second)]
  if (fits(a) && fits(b)) return better(a, b, placement.model, pick)
  const fitting = [...open].filter(fits)
  if (fitting.length === 0) return undefined
  const [third, fourth] = drawTwo(fitting.length, pick)
  return better(fitting[third]!, fitting[fourth]!, placement.model, pick)
}

/** Two different numbers below `size`, or 0 twice where there is but one. */
function drawTwo(size: number, pick: PickBelow): [number, number] {
  if (size === 1) return [0, 0]
  const first = pick(size)
  return [first, (first + 1 + pick(size - 1)) % size]
}

function better(a: Worker, b: Worker, model: string, pick: PickBelow): Worker {
  if (a === b) return a
  if (pick(MEASURE_AGAIN) === MEASURE_AGAIN - 1) return load(a) <= load(b) ? a : b
  const [aMs, bMs] = [firstTokenMs(a, model), firstTokenMs(b, model)]
  const costA = cost(a, aMs ?? unmeasuredMs(a, bMs))
  const costB = cost(b, bMs ?? unmeasuredMs(b, aMs))
  return costA <= costB ? a : b
}

const firstTokenMs = ({ conduct }: Worker, model: string): number | undefined =>
  conduct.firstTokens.get(model)?.medianMs

/**
 * One that was offered nothing yet goes first with one job: that is how it gets measured. Whoever then says no
 * word of an answer, and is to blame for nothing, as when it refuses what is asked, would always go first.
 */
const unmeasuredMs = ({ tally }: Worker, othersMs: number | undefined): number =>
  tally.offered === 0 ? 0 : (othersMs ?? 0)

/** Expected wait: load weighed by how soon answers begin and how often they come at all. */
const cost = (worker: Worker, ms: number): number =>
  ((1 + load(worker)) * (FLOOR_MS + ms)) / completionRate(worker)

const load = ({ jobs, slots }: Worker): number => jobs.size / slots

const completionRate = ({ conduct: { outcomes } }: Worker): number =>
  (outcomes.filter(Boolean).length + GOOD_WILL) / (outcomes.length + GOOD_WILL)

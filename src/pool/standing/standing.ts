import { type Standing, Standing_State } from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { Address } from '../../domain/ids.ts'
import type { UnixMs } from '../../domain/time.ts'
import { AGENT_VERSION } from '../../domain/version.ts'
import type { Conduct } from '../registry/conduct.ts'
import type { Registry, Worker } from '../registry/state.ts'

/** How one model stands in this pool, made once for all its workers. */
export interface Board {
  workers: number
  slots: number
  busy: number
  readonly queued: number
  readonly jobsPerMinute: number
  /** Medians of the workers that are measured, fastest first. */
  readonly firstTokensMs: number[]
}

/** @param jobsPerMinute of a model */
export function boards(
  registry: Registry,
  jobsPerMinute: (model: string) => number,
): ReadonlyMap<string, Board> {
  const all = new Map<string, Board>()
  for (const worker of registry.workers.values()) {
    if (worker.draining) continue
    for (const model of worker.models.keys()) {
      const board = all.get(model) ?? newBoard(registry, model, jobsPerMinute(model))
      all.set(model, board)
      board.workers++
      board.slots += worker.slots
      board.busy += worker.jobs.size
      const firstToken = worker.conduct.firstTokens.get(model)
      if (firstToken) board.firstTokensMs.push(firstToken.medianMs)
    }
  }
  for (const { firstTokensMs } of all.values()) firstTokensMs.sort((a, b) => a - b)
  return all
}

const newBoard = (registry: Registry, model: string, jobsPerMinute: number): Board => ({
  workers: 0,
  slots: 0,
  busy: 0,
  queued: registry.queues.get(model)?.size ?? 0,
  jobsPerMinute,
  firstTokensMs: [],
})

/** What the pool tells a worker about itself; undefined where it is not connected. */
export function standingOf(
  registry: Registry,
  board: ReadonlyMap<string, Board>,
  address: Address,
  at: UnixMs,
): Standing | undefined {
  const worker = registry.workers.get(address)
  if (!worker) return undefined
  const { tally, conduct } = worker
  const { outcomes, restUntil } = conduct
  const state = stateOf(registry, worker, at)
  const resting = state === Standing_State.STATE_RESTING
  return {
    state,
    restingUntil: resting ? restUntil : 0,
    reason: resting ? whyResting(conduct) : whyKeptFrom(conduct, at),
    jobsOffered: tally.offered,
    jobsFinished: tally.finished,
    jobsFailed: tally.failed,
    jobsRefused: tally.refused,
    completionRate:
      outcomes.length === 0 ? undefined : outcomes.filter(Boolean).length / outcomes.length,
    models: [...worker.models.keys()].flatMap((model) => {
      const each = board.get(model)
      return each ? [modelStanding(worker, model, each)] : []
    }),
    agentLatest: AGENT_VERSION,
  }
}

function stateOf(registry: Registry, worker: Worker, at: UnixMs): Standing_State {
  if (worker.draining || registry.draining) return Standing_State.STATE_DRAINING
  return worker.conduct.restUntil > at ? Standing_State.STATE_RESTING : Standing_State.STATE_READY
}

function whyResting({ restBecause, failuresInRow, why }: Conduct): string {
  switch (restBecause) {
    case 'busy':
      return `${why || 'it refused an offer as busy'}: offer fewer slots`
    case 'silent':
      return 'it did not answer an offer in time'
    case 'failed':
      return `its last ${failuresInRow} jobs failed, the last because ${why}`
    case 'broke':
      return `it broke the rules: ${why}`
    default:
      return 'it rests'
  }
}

/** One caller's prompts may be what breaks an engine: then the worker gets jobs of all others. */
function whyKeptFrom({ setAside, why }: Conduct, at: UnixMs): string {
  const kept = [...setAside.values()].filter(({ until }) => until > at)
  const times = kept.reduce((most, { failuresInRow }) => Math.max(most, failuresInRow), 0)
  return times === 0 ? '' : `one caller's last ${times} jobs failed here, the last because ${why}`
}

export function modelStanding(worker: Worker, id: string, board: Board) {
  const { firstTokensMs, ...counts } = board
  const own = worker.conduct.firstTokens.get(id)?.medianMs
  return {
    id,
    ...counts,
    firstTokenMs: own === undefined ? undefined : Math.round(own),
    rank: own === undefined ? 0 : 1 + firstAtLeast(firstTokensMs, own),
    ranked: firstTokensMs.length,
  }
}

/** How many of the ascending `values` are below `value`. */
function firstAtLeast(values: readonly number[], value: number): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (values[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}

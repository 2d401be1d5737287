import { LeftOutModel_Reason } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { addMs, type DurationMs, type UnixMs } from '../../domain/time.ts'
import { AGENT_VERSION } from '../../domain/version.ts'
import type { LeftOutModel, RestReason, WorkerStanding } from '../../messages/pool.ts'
import type { Awaited } from '../canary/canaries.ts'
import type { Outcome } from '../registry/conduct.ts'
import type { Worker } from '../registry/state.ts'
import { type Board, modelStanding } from './standing.ts'

export interface Seen {
  readonly worker: Worker
  readonly board: ReadonlyMap<string, Board>
  /** Of the pool itself. */
  readonly draining: boolean
  readonly awaited: readonly Awaited[]
  readonly leftOut: readonly { readonly id: string; readonly reason: LeftOutModel_Reason }[]
  readonly software: string
  /** By the clock of rests. */
  readonly at: UnixMs
  /** What the time in which it is told is ahead of that. */
  readonly aheadMs: DurationMs
}

/** How a worker stands, for its operator far away: nothing that an engine or a caller said. */
export function toldStanding({ worker, board, awaited, ...seen }: Seen): WorkerStanding {
  const { conduct, tally, slots, jobs } = worker
  const { outcomes, restUntil, restBecause, setAside, failuresInRow } = conduct
  const rests = restUntil > seen.at
  return {
    type: 'standing',
    state: stateOf(worker, seen.draining, rests),
    restingUntil: rests ? addMs(restUntil, seen.aheadMs) : null,
    because: rests ? reasonOf(restBecause) : null,
    failuresInRow,
    callersKept: [...setAside.values()].filter(({ until }) => until > seen.at).length,
    ...{ slots, busy: jobs.size, jobs: { ...tally } },
    completionRate:
      outcomes.length === 0 ? null : outcomes.filter(Boolean).length / outcomes.length,
    models: [...worker.models.keys()].flatMap((model) => {
      const each = board.get(model)
      if (!each) return []
      const { firstTokenMs = null, ...standing } = modelStanding(worker, model, each)
      return [{ ...standing, firstTokenMs }]
    }),
    awaited: awaited.map(({ model, retry }) => ({
      id: model,
      failures: retry?.failures ?? 0,
      nextAt: retry && retry.nextAt > seen.at ? addMs(retry.nextAt, seen.aheadMs) : null,
    })),
    leftOut: seen.leftOut.map(({ id, reason }) => ({
      id,
      reason: LEFT_OUT[reason] ?? 'not_listed',
    })),
    ...{ software: seen.software, agentLatest: AGENT_VERSION },
  }
}

function stateOf(worker: Worker, draining: boolean, rests: boolean): WorkerStanding['state'] {
  if (worker.suspended) return 'away'
  if (worker.draining || draining) return 'draining'
  return rests ? 'resting' : 'ready'
}

function reasonOf(because: Outcome | null): RestReason {
  switch (because) {
    case 'busy':
    case 'silent':
    case 'failed':
      return because
    case 'broke':
      return 'broke_rules'
    default:
      return 'other'
  }
}

const LEFT_OUT: Readonly<Partial<Record<LeftOutModel_Reason, LeftOutModel['reason']>>> = {
  [LeftOutModel_Reason.REASON_RETIRED]: 'retired',
  [LeftOutModel_Reason.REASON_NOT_SERVED]: 'not_served',
}

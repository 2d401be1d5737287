import type { Pools } from '../../api/models/pools.ts'
import type { Address } from '../../domain/ids.ts'
import { isoTimestamp, type UnixMs } from '../../domain/time.ts'
import type { AskStanding, StandingReply, WorkerStanding } from '../../messages/pool.ts'
import { SUBJECTS } from '../../messages/subjects.ts'
import { type Bus, isUnanswered } from '../../ports/bus.ts'
import type { WebStanding, WebStandings } from '../workers-api.ts'

export type AskPools = (worker: Address) => Promise<WebStandings>

interface Options {
  readonly bus: Bus
  readonly pools: Pick<Pools, 'ids'>
}

const ANSWER_MS = 2_000

/** Asks every pool, since only the one that a worker is connected to knows it. */
export function makeAskPools({ bus, pools }: Options): AskPools {
  const ask = async (pool: string, worker: Address): Promise<StandingReply | 'silent'> => {
    const question: AskStanding = { worker }
    try {
      return await bus.request<StandingReply>(SUBJECTS.poolStanding(pool), question, ANSWER_MS)
    } catch (error) {
      // It has just gone, or is of a version that does not hear the question.
      if (isUnanswered(error)) return 'silent'
      throw error
    }
  }
  return async (worker) => {
    const ids = pools.ids()
    const replies = await Promise.all(ids.map((pool) => ask(pool, worker)))
    return {
      pools_asked: ids.length,
      pools_silent: replies.filter((reply) => reply === 'silent').length,
      data: replies.flatMap((reply, i) =>
        reply === 'silent' || reply.type === 'absent' ? [] : [publicStanding(ids[i]!, reply)],
      ),
    }
  }
}

const publicStanding = (pool: string, standing: WorkerStanding): WebStanding => ({
  pool,
  state: standing.state,
  resting_until: isoOrNull(standing.restingUntil),
  because: standing.because,
  failures_in_row: standing.failuresInRow,
  callers_kept: standing.callersKept,
  ...{ slots: standing.slots, busy: standing.busy, jobs: standing.jobs },
  completion_rate: standing.completionRate,
  models: standing.models.map((model) => ({
    ...{ id: model.id, workers: model.workers, slots: model.slots, busy: model.busy },
    ...{ queued: model.queued, jobs_per_minute: model.jobsPerMinute },
    ...{ first_token_ms: model.firstTokenMs, rank: model.rank, ranked: model.ranked },
  })),
  awaited: standing.awaited.map(({ id, failures, nextAt }) => ({
    ...{ id, failures },
    next_at: isoOrNull(nextAt),
  })),
  left_out: standing.leftOut,
  software: standing.software,
  agent_latest: standing.agentLatest,
})

const isoOrNull = (at: UnixMs | null): string | null => (at === null ? null : isoTimestamp(at))

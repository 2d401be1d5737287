/** What the web app’s own API says of a worker, in the manner of api.ts. The rest is on the chain. */

type Iso = string

/**
 * GET /api/workers/<address>/standing: how the pools see the worker now. 403 for anybody but its payee
 * and its own key, 404 where none signs with this address or it has left.
 */
export interface WebStandings {
  readonly pools_asked: number
  /** That did not answer: just gone, or of an earlier version. */
  readonly pools_silent: number
  /** Of the pools that it is connected to: one, or none. */
  readonly data: readonly WebStanding[]
}

export interface WebStanding {
  readonly pool: string
  readonly state: 'ready' | 'resting' | 'draining' | 'away'
  /** Null: it does not rest, as with `because`. */
  readonly resting_until: Iso | null
  readonly because: 'busy' | 'silent' | 'failed' | 'broke_rules' | 'other' | null
  readonly failures_in_row: number
  /** Callers whose jobs it is kept from for a while, since theirs failed here. */
  readonly callers_kept: number
  readonly slots: number
  readonly busy: number
  /** Since it connected. */
  readonly jobs: {
    readonly offered: number
    readonly finished: number
    readonly failed: number
    readonly refused: number
  }
  /** Of the last jobs whose end says something about it, 0 to 1; null before the first. */
  readonly completion_rate: number | null
  /** Those that it is offered jobs of. */
  readonly models: readonly WebModelStanding[]
  /** Those that wait for the unpaid job which shows that it serves them; `next_at` null: soon. */
  readonly awaited: readonly {
    readonly id: string
    readonly failures: number
    readonly next_at: Iso | null
  }[]
  /** Those that it offers and gets no jobs of. */
  readonly left_out: readonly {
    readonly id: string
    readonly reason: 'not_listed' | 'retired' | 'not_served'
  }[]
  /** Agent and engine, as it told them. */
  readonly software: string
  readonly agent_latest: string
}

/** Over all workers of the pool that serve the model, this one included. */
export interface WebModelStanding {
  readonly id: string
  readonly workers: number
  readonly slots: number
  readonly busy: number
  readonly queued: number
  readonly jobs_per_minute: number
  /** This worker's median; null before its first job of the model. */
  readonly first_token_ms: number | null
  /** By time to first token: 1 is the fastest. 0: not measured yet. */
  readonly rank: number
  readonly ranked: number
}

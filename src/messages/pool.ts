import type { Address, JobId, TxHash } from '../domain/ids.ts'
import type { UnixMs } from '../domain/time.ts'

export type PoolRequest = OfferJob | StopJob

/**
 * From a job: find a worker. The pool answers at once, then says AssignWorker, FailWorker or
 * CompleteJob to the job. The same (job, attempt) offered twice is one offer.
 */
export interface OfferJob {
  readonly type: 'OfferJob'
  readonly jobId: JobId
  readonly attempt: number
  readonly wallet: Address
  readonly model: string
  readonly outputTokensMax: number
  readonly deadlineAt: UnixMs
  /** Where chunks go: an edge's inbox. */
  readonly replyTo: string
  readonly escrowTx: TxHash
  /** Workers that already failed this job. */
  readonly exclude: readonly Address[]
  /** Only workers that serve more context than this, in tokens: less was too little. */
  readonly contextAbove?: number
}

/**
 * From a job: the caller has gone, or the job has ended. With `settle`, what was generated is
 * still proven and sent as CompleteJob; without, nothing more is wanted.
 */
export interface StopJob {
  readonly type: 'StopJob'
  readonly jobId: JobId
  readonly settle: boolean
}

export type OfferReply =
  | { readonly type: 'taken' }
  | { readonly type: 'refused'; readonly reason: 'no_worker' | 'draining' }

/** Published by each pool twice a second and whenever the set of models changes. */
export interface PoolSummary {
  readonly poolId: string
  /** True while shutting down: no new offers. */
  readonly draining: boolean
  readonly models: Readonly<Record<string, ModelLoad>>
  /** Absent: a pool of a version that does not count them. */
  readonly census?: PoolCensus
}

/** Who is here, for people. */
export interface PoolCensus {
  readonly workers: number
  /** By what operators call where they are, the most first; at most REGIONS_MOST of them. */
  readonly regions: Readonly<Record<string, number>>
  /** Jobs offered to this pool, each attempt of one. */
  readonly jobsLastMinute: number
}

/** Keeps a summary small, whatever operators write. */
export const REGIONS_MOST = 32

export interface ModelLoad {
  readonly workers: number
  readonly slots: number
  readonly busy: number
  readonly queued: number
  /** Median time to first token over the workers here, ms; null before the model's first job. */
  readonly firstTokenMs: number | null
  /**
   * Each worker's own median, whole ms, ascending; without those that have shown nothing yet. Of
   * more than FIRST_TOKENS_MOST workers an even sample.
   */
  readonly firstTokensMs: readonly number[]
  /** How many workers `firstTokensMs` stands for. */
  readonly measured: number
  /** Share of jobs of the recent past that were finished, 0 to 1. */
  readonly completionRate: number
  /** Largest context window that a worker here serves, tokens. */
  readonly contextWindow: number
}

/** Keeps a summary small; a median over the sample is off by less than one rank in a hundred. */
export const FIRST_TOKENS_MOST = 64

/** A pool is gone when nothing was heard of it for this long. */
export const POOL_SILENCE_MS = 3_000
export const POOL_SUMMARY_MS = 500

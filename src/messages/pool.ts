import type { ChatRequest } from '../domain/chat.ts'
import type { Address, JobId, TxHash } from '../domain/ids.ts'
import type { UnixMs } from '../domain/time.ts'
import type { Traceparent } from '../domain/traceparent.ts'

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
  /** By the clock of the host, as all times of a job. */
  readonly deadlineAt: UnixMs
  /** What that clock says now: the pool's own may say something else. Absent: a host of before. */
  readonly sentAt?: UnixMs
  /** Where chunks go: an edge's inbox. */
  readonly replyTo: string
  readonly escrowTx: TxHash
  /** Workers that already failed this job. */
  readonly exclude: readonly Address[]
  /**
   * Nobody waits to hear who took it, and no text of it reaches the caller before its end: the pool may
   * hold AssignWorker back for a quarter of a second, and all text but the beginning to the end. False: it may
   * for a hundredth. Where the proof comes first, AssignWorker is left out. Absent: a host of before, which
   * must be told at once.
   */
  readonly assignLate?: boolean
  /** Only workers that serve more context than this, in tokens: less was too little. */
  readonly contextAbove?: number
  /** As StartJob brought it. Absent: the pool asks the edge at `replyTo`. */
  readonly prompt?: ChatRequest
  /** What the attempt belongs to; in the header of the message. Absent: it is not traced. */
  readonly trace?: Traceparent
}

/**
 * From a job: the caller has gone, or the job has ended. With `settle`, what was generated is
 * still proven and sent as CompleteJob; without, nothing more is wanted.
 */
export interface StopJob {
  readonly type: 'StopJob'
  readonly jobId: JobId
  /** That is under way, as the job has it. Absent: none is, or a host of before says so. */
  readonly attempt?: number
  readonly settle: boolean
}

/** `not_taken`: the offer of that attempt was lost on its way or refused, so nobody will report. Earlier pools never say so. */
export type StopReply = { readonly type: 'taken' } | { readonly type: 'not_taken' }

export type OfferReply =
  | { readonly type: 'taken' }
  | { readonly type: 'refused'; readonly reason: 'no_worker' | 'draining' }

/**
 * From a web process, for a worker's operator: how does this pool see the worker? On a subject of its
 * own, since a web process may send a pool nothing else. Pools of earlier versions do not listen.
 */
export interface AskStanding {
  readonly worker: Address
}

export type StandingReply = { readonly type: 'absent' } | WorkerStanding

/** In fixed words: what engines and callers said stays between pool and agent. */
export interface WorkerStanding {
  readonly type: 'standing'
  /** `resting`: set aside until `restingUntil`. `away`: its stream broke, and it may come back. */
  readonly state: 'ready' | 'resting' | 'draining' | 'away'
  /** Null: it does not rest. */
  readonly restingUntil: UnixMs | null
  /** Null: it does not rest. */
  readonly because: RestReason | null
  readonly failuresInRow: number
  /** Callers whose jobs it is kept from for a while, since theirs failed here. */
  readonly callersKept: number
  readonly slots: number
  readonly busy: number
  readonly jobs: JobTally
  /** Of the last jobs whose end says something about it, 0 to 1; null before the first. */
  readonly completionRate: number | null
  /** Those that it is offered jobs of. */
  readonly models: readonly ModelStanding[]
  /** Those that wait for the unpaid job which shows that it serves them. */
  readonly awaited: readonly AwaitedModel[]
  /** Those that it offers and gets no jobs of. */
  readonly leftOut: readonly LeftOutModel[]
  /** Agent and engine with their versions, as it told them. */
  readonly software: string
  /** Newest version of the agent that the pool knows of. */
  readonly agentLatest: string
}
/** `busy`, `silent`: it had no room for a job, or did not answer an offer. */
export type RestReason = 'busy' | 'silent' | 'failed' | 'broke_rules' | 'other'

/** Since it connected. */
export interface JobTally {
  readonly offered: number
  readonly finished: number
  readonly failed: number
  readonly refused: number
}

export interface ModelStanding {
  readonly id: string
  /** Workers of this pool that serve it, this one included; their slots, and how many are busy. */
  readonly workers: number
  readonly slots: number
  readonly busy: number
  /** Jobs that wait for a slot. */
  readonly queued: number
  readonly jobsPerMinute: number
  /** This worker's median; null before its first job of the model. */
  readonly firstTokenMs: number | null
  /** 1: nobody measured is faster. 0: not measured yet. */
  readonly rank: number
  /** How many workers are measured. */
  readonly ranked: number
}

export interface AwaitedModel {
  readonly id: string
  /** Unpaid jobs that failed so far. */
  readonly failures: number
  /** When the next one comes; null: as soon as it has a slot. */
  readonly nextAt: UnixMs | null
}

export interface LeftOutModel {
  readonly id: string
  readonly reason: 'not_listed' | 'retired' | 'not_served'
}

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

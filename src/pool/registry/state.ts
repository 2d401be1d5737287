import type { Address, JobId } from '../../domain/ids.ts'
import type { UnixMs } from '../../domain/time.ts'
import type { Bag } from './bag.ts'
import type { Conduct, JobEnd } from './conduct.ts'
import type { FairQueue } from './fair-queue.ts'
import type { Placement } from './waiting.ts'

/**
 * Who is connected to this pool, who is free, who waits. Memory of one process and no more: it is
 * true only as long as the connections are. `evolve` therefore changes it in place.
 */
export interface Registry {
  readonly workers: Map<Address, Worker>
  /** By model, those that are offered jobs of it; one that drains is not. */
  readonly serving: Map<string, Bag<Worker>>
  /** Those of them with a slot free, whether they rest or not. */
  readonly open: Map<string, Bag<Worker>>
  /** Jobs that wait for a slot, by model. */
  readonly queues: Map<string, FairQueue>
  /** Of workers that have left, newest last. */
  readonly past: Map<Address, Conduct>
  /** Counts arrivals and turns of the queues. */
  stamps: number
  draining: boolean
}

export interface WorkerProfile {
  readonly address: Address
  readonly workerId: number
  /** Catalogue id to the largest context served, in tokens. */
  readonly models: ReadonlyMap<string, number>
  readonly slots: number
}

export interface Worker extends Omit<WorkerProfile, 'models'> {
  readonly models: Map<string, number>
  /** Jobs that hold a slot, those that are being cancelled included. */
  readonly jobs: Set<JobId>
  draining: boolean
  /** Its stream broke and it may come back: it keeps its slots and gets no more jobs until then. */
  suspended: boolean
  readonly conduct: Conduct
  /** Jobs since it joined. */
  readonly tally: Tally
}

/** A worker, or one as it will be once what is being decided has happened. */
export type Taker = Pick<Worker, 'address' | 'slots' | 'draining' | 'suspended' | 'conduct'> & {
  readonly jobs: ReadonlySet<JobId>
  readonly models: ReadonlyMap<string, number>
}

/** A refusal or a failure may be nobody's fault; it is counted all the same. */
export interface Tally {
  offered: number
  finished: number
  failed: number
  refused: number
}

export type RegistryEvent =
  | { readonly type: 'WorkerJoined'; readonly profile: WorkerProfile }
  | { readonly type: 'WorkerLeft'; readonly address: Address }
  | { readonly type: 'WorkerDrained'; readonly address: Address }
  | { readonly type: 'WorkerSuspended'; readonly address: Address }
  | { readonly type: 'WorkerResumed'; readonly address: Address }
  | { readonly type: 'ModelDropped'; readonly address: Address; readonly model: string }
  | {
      readonly type: 'ModelTaken'
      readonly address: Address
      readonly model: string
      readonly contextWindow: number
    }
  | { readonly type: 'PoolDrained' }
  | { readonly type: 'JobQueued'; readonly placement: Placement }
  | {
      readonly type: 'JobUnqueued'
      readonly jobId: JobId
      readonly model: string
      /** The wallet that had its turn; null: the job left without a slot. */
      readonly turnOf: Address | null
    }
  /** A slot of `address` is this job's now. */
  | { readonly type: 'JobHeld'; readonly jobId: JobId; readonly address: Address }
  /** The same for a job that is no caller's. */
  | { readonly type: 'CanaryHeld'; readonly jobId: JobId; readonly address: Address }
  /** It waited, and nobody is left who could take it. Always with JobUnqueued. */
  | { readonly type: 'JobStranded'; readonly jobId: JobId }
  | {
      readonly type: 'SlotFreed'
      readonly address: Address
      readonly jobId: JobId
      readonly end: JobEnd
    }
  /** How it left a job whose slot is not free yet. */
  | { readonly type: 'WorkerJudged'; readonly address: Address; readonly end: JobEnd }
  /** Its stream broke in the middle of jobs of these wallets, one entry a job. */
  | {
      readonly type: 'JobsLost'
      readonly address: Address
      readonly wallets: readonly Address[]
      readonly at: UnixMs
    }
  /** It broke the rules. */
  | {
      readonly type: 'WorkerBlamed'
      readonly address: Address
      readonly why: string
      readonly at: UnixMs
    }
  | {
      readonly type: 'FirstTokenSeen'
      readonly address: Address
      readonly model: string
      readonly firstTokenMs: number
    }

export const emptyRegistry = (): Registry => ({
  workers: new Map(),
  serving: new Map(),
  open: new Map(),
  queues: new Map(),
  past: new Map(),
  stamps: 0,
  draining: false,
})

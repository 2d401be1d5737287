import type { Address } from '../domain/ids.ts'
import type { UnixMs } from '../domain/time.ts'
import type { AssignWorker, CompleteJob, FailWorker, WorkerFailureReason } from '../messages/job.ts'
import type { OfferJob } from '../messages/pool.ts'
import type { Proven } from './proof/verify.ts'
import type { WorkerProfile } from './registry/state.ts'

/** What a pool tells a job. */
export type PoolReport = AssignWorker | FailWorker | CompleteJob

type Attempted = Pick<OfferJob, 'jobId' | 'attempt'>

export const assignWorker = (
  { jobId, attempt }: Attempted,
  { address, workerId }: WorkerProfile,
  at: UnixMs,
): AssignWorker => ({ type: 'AssignWorker', jobId, attempt, worker: address, workerId, at })

export interface AttemptFailure {
  readonly reason: WorkerFailureReason
  readonly textSent: boolean
  readonly words?: string | undefined
  readonly workers: readonly Address[]
  readonly contextAbove?: number | undefined
}

export const failWorker = (
  { jobId, attempt }: Attempted,
  { reason, textSent, workers, contextAbove }: AttemptFailure,
  at: UnixMs,
): FailWorker => ({
  type: 'FailWorker',
  jobId,
  attempt,
  reason,
  textSent,
  workers,
  at,
  ...(contextAbove === undefined ? {} : { contextAbove }),
})

/** @param chunks as this pool numbered them for the edge */
export const completeJob = (
  { jobId, attempt }: Attempted,
  { address, workerId }: WorkerProfile,
  { completion, signature, promptTokens, finishReason }: Proven,
  chunks: number,
  { takenAt, at }: { readonly takenAt: UnixMs | undefined; readonly at: UnixMs },
): CompleteJob => ({
  type: 'CompleteJob',
  jobId,
  attempt,
  worker: address,
  workerId,
  outputHash: completion.outputHash,
  usage: { promptTokens, completionTokens: completion.outputTokens },
  finishReason,
  chunks,
  completedAt: completion.completedAt,
  signature,
  at,
  ...(takenAt === undefined ? {} : { takenAt }),
})

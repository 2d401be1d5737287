import type { FinishReason } from '../domain/chat.ts'
import type { Credits } from '../domain/credits.ts'
import type { Refusal } from '../domain/errors.ts'
import type { Address, Hex32, JobId, TxHash } from '../domain/ids.ts'
import type { Usage } from '../domain/usage.ts'
import type { JobView } from './job-view.ts'
import type { SignedCompletion } from './strikes.ts'

/** The answer to any job command. */
export type JobReply =
  | {
      readonly type: 'accepted'
      readonly view: JobView
      readonly ending: EdgeEnding | null
      /** What `view.worker` signed, once the job is completed. */
      readonly proof?: SignedCompletion
      /** The number of `view.worker`, with its proof. */
      readonly workerId?: number
    }
  | NotTaken

/**
 * The answer to StartJob and to the reports of pools: who says them asks only whether they were taken.
 * A CompleteJob with another answer than the job's is answered with all that the job holds.
 */
export type WordReply = { readonly type: 'accepted' } | JobReply

type NotTaken =
  | { readonly type: 'unknown_job' }
  /** The command does not fit the job: a StartJob after a tombstone; a `DisputeRefusal`. */
  | {
      readonly type: 'refused'
      readonly reason: string
      /** Of a StartJob: the job that has the request's key already. */
      readonly holder?: JoinHolder
    }

/** The job that has a request's key. `bodyDigest`: the same key with another body is another request. */
export interface JoinHolder {
  readonly jobId: JobId
  readonly bodyDigest: string
}

/** How a job ended for the caller who waits: also pushed to its edge. */
export type EdgeEnding =
  | {
      readonly type: 'completed'
      readonly jobId: JobId
      readonly attempt: number
      readonly chunks: number
      readonly worker: Address
      readonly escrowTx: TxHash
      readonly usage: Usage
      readonly finishReason: FinishReason
      readonly outputHash: Hex32
      readonly charged: Credits
      readonly lock: Credits
    }
  | {
      readonly type: 'failed'
      readonly jobId: JobId
      readonly refusal: Refusal
      readonly escrowTx: TxHash | null
      /** Who had it last; left out by hosts of before. */
      readonly worker?: Address | null
    }

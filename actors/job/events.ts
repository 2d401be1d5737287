import type { FinishReason } from '../../src/domain/chat.ts'
import type { Credits } from '../../src/domain/credits.ts'
import type { Address, Hex32, JobId, TxHash } from '../../src/domain/ids.ts'
import type { CompactSignature } from '../../src/domain/proof.ts'
import type { UnixMs } from '../../src/domain/time.ts'
import type { Usage } from '../../src/domain/usage.ts'
import type { SettledAnswer } from '../../src/messages/job.ts'
import type { CompletedEvent } from './completed.ts'
import type { JobRefusal, JobTerms } from './terms.ts'

/** What is written of a job, in its own words. */
export type JobEvent =
  | {
      readonly type: 'JobStarted'
      readonly terms: JobTerms
      /** Gets the first offer. Absent: none served the model, or a host of an earlier version began it. */
      readonly poolId?: string
    }
  | { readonly type: 'JobAbandoned'; readonly jobId: JobId; readonly wallet: Address }
  | { readonly type: 'LockConfirmed'; readonly tx: TxHash; readonly block: number }
  | { readonly type: 'LockRefused' }
  | { readonly type: 'OfferMade'; readonly poolId: string }
  | {
      readonly type: 'OfferFailed'
      readonly excludePool: boolean
      /** That must not get the job again, besides the one it was assigned to. */
      readonly workers?: readonly Address[]
      readonly contextAbove?: number
      /** Whoever took it had no room for it, and is not at fault. */
      readonly overloaded?: true
    }
  | {
      readonly type: 'WorkerAssigned'
      readonly worker: Address
      readonly workerId: number
      readonly takenAt?: UnixMs
    }
  | { readonly type: 'JobJoined'; readonly replyTo: string; readonly at: UnixMs }
  | { readonly type: 'CancelRequested' }
  | {
      readonly type: 'JobCompleted'
      readonly worker: Address
      readonly workerId: number
      readonly usage: Usage
      readonly finishReason: FinishReason
      readonly outputHash: Hex32
      readonly chunks: number
      readonly signedAt: number
      readonly signature: CompactSignature
      readonly at: UnixMs
    }
  /** On chain is an answer that the journal does not know. */
  | {
      readonly type: 'SettlementFound'
      readonly tx: TxHash
      readonly block: number
      readonly charged: Credits
      readonly answer: SettledAnswer
    }
  | { readonly type: 'JobFailed'; readonly refusal: JobRefusal; readonly at: UnixMs }
  | { readonly type: 'JobExpired'; readonly refusal: JobRefusal; readonly at: UnixMs }
  | CompletedEvent
  | { readonly type: 'RefundConfirmed'; readonly tx: TxHash; readonly block: number | null }

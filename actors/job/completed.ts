import type { FinishReason } from '../../src/domain/chat.ts'
import type { Credits } from '../../src/domain/credits.ts'
import type { Address, Hex32, TxHash } from '../../src/domain/ids.ts'
import type { CompactSignature } from '../../src/domain/proof.ts'
import { assert, unreachable } from '../../src/domain/result.ts'
import type { UnixMs } from '../../src/domain/time.ts'
import type { Usage } from '../../src/domain/usage.ts'
import type { AssignedWorker, JobTerms, LockedEscrow } from './terms.ts'

/** A job whose worker has proved an answer: what is left is who gets the credits. */
export type CompletedJob = SettlingJob | SettledJob | DisputedJob | UpheldJob

interface Answered {
  readonly terms: JobTerms
  readonly outputHash: Hex32
  /** Price of the signed token count, never above the lock; what the chain says, once it has. */
  readonly charged: Credits
}

/** As the pool reported it. */
interface Proof {
  readonly escrow: LockedEscrow
  readonly attempt: number
  readonly worker: AssignedWorker
  readonly usage: Usage
  readonly finishReason: FinishReason
  readonly chunks: number
  /** Unix seconds, as signed. */
  readonly signedAt: number
  readonly signature: CompactSignature
  /** The final output token, as the pool saw it: the dispute window counts from here. */
  readonly completedAt: UnixMs
}

/** The chain alone tells of the answer: the journal is an older copy, from before the job had it. */
interface Unreported {
  /** Asked: the lane will say which transaction locked it. */
  readonly escrow: LockedEscrow | { readonly at: 'asked' }
  readonly worker: { readonly address: Address | null; readonly id: number }
  readonly usage: null
  readonly completedAt: null
}

export type ProvenJob = CompletedJob & Proof
export const isProven = (job: CompletedJob): job is ProvenJob => job.usage !== null

export type SettlingJob = Answered &
  Proof & {
    readonly status: 'settling'
    readonly settlement: null
  }

export type SettledJob = Answered &
  (Proof | Unreported) & {
    readonly status: 'settled'
    readonly settlement: Inclusion
    /** One that changed nothing in the end. */
    readonly dispute?: RefusedDispute | RejectedDispute
  }

export type DisputedJob = Answered &
  (Proof | Unreported) & {
    readonly status: 'disputed'
    /** Null: the dispute is kept, and goes on chain after the settlement. */
    readonly settlement: Inclusion | null
    readonly dispute: Dispute
  }

/** The caller was right, and has the credits back; callers see it as `refunded`. */
export type UpheldJob = Answered &
  (Proof | Unreported) & {
    readonly status: 'upheld'
    readonly settlement: Inclusion
    readonly dispute: ResolvedDispute
  }

/** Where something happened on chain. */
export interface Inclusion {
  readonly tx: TxHash
  readonly block: number
}

interface Claim {
  /** The request it came with; null where the wallet opened it on chain by itself. */
  readonly requestId: string | null
  /** What the caller says it received. */
  readonly claimedHash: Hex32
}
export interface Dispute extends Claim {
  /** Null: not on chain that we know of. Block null: broadcast. */
  readonly opening: { readonly tx: TxHash; readonly block: number | null } | null
}
export interface ResolvedDispute extends Dispute {
  readonly resolution: Inclusion
}
interface RejectedDispute extends ResolvedDispute {
  readonly end: 'rejected'
}
/** The contract would not open it: there never was one. */
interface RefusedDispute extends Claim {
  readonly end: 'refused'
  /** A skip reason of JobEscrow. */
  readonly reason: string
}

/** It stands on chain by a block, and not only by word of the lane that sent it. */
export const isMined = ({ opening }: Dispute): boolean => opening !== null && opening.block !== null

/** What only a completed job lives through. */
export type CompletedEvent =
  | {
      readonly type: 'SettlementConfirmed'
      readonly tx: TxHash
      readonly block: number
      readonly charged: Credits
    }
  | { readonly type: 'JobDisputed'; readonly requestId: string; readonly claimedHash: Hex32 }
  | {
      readonly type: 'DisputeConfirmed'
      readonly tx: TxHash
      readonly block: number | null
      readonly claimedHash: Hex32
    }
  | { readonly type: 'DisputeRefused'; readonly reason: string }
  | {
      readonly type: 'DisputeResolved'
      readonly upheld: boolean
      readonly tx: TxHash
      readonly block: number
    }

/** The dispute that stands or stood on chain, or is to; a refused one never did. */
export function disputeOf(job: CompletedJob): Dispute | ResolvedDispute | undefined {
  switch (job.status) {
    case 'settling':
      return undefined
    case 'settled':
      return job.dispute?.end === 'rejected' ? job.dispute : undefined
    default:
      return job.dispute
  }
}

export function evolveCompleted(job: CompletedJob, event: CompletedEvent): CompletedJob {
  switch (event.type) {
    case 'SettlementConfirmed': {
      const { charged, tx, block } = event
      const settlement = { tx, block }
      switch (job.status) {
        case 'settling':
          return { ...job, charged, settlement, status: 'settled' }
        case 'disputed':
          return { ...job, charged, settlement, dispute: afterSettlement(job) }
        default:
          return { ...job, charged, settlement }
      }
    }
    case 'JobDisputed': {
      const { requestId, claimedHash } = event
      assert(disputeOf(job) === undefined, 'a job is disputed once')
      return { ...job, status: 'disputed', dispute: { requestId, claimedHash, opening: null } }
    }
    case 'DisputeConfirmed':
      return opened(job, event)
    case 'DisputeRefused': {
      assert(job.status === 'disputed' && job.settlement, 'only an asked dispute is refused')
      const { requestId, claimedHash } = job.dispute
      const dispute = { end: 'refused', requestId, claimedHash, reason: event.reason } as const
      return { ...job, status: 'settled', settlement: job.settlement, dispute }
    }
    case 'DisputeResolved':
      return resolved(job, event)
    default:
      return unreachable(event)
  }
}

/**
 * A settlement told anew means that the chain has gone back, and the dispute that followed it is in
 * doubt: it is asked for again until it is told anew as well.
 */
function afterSettlement({ settlement, dispute }: DisputedJob): Dispute {
  if (settlement === null || dispute.opening === null) return dispute
  return { ...dispute, opening: { ...dispute.opening, block: null } }
}

function opened(
  job: CompletedJob,
  { tx, block, claimedHash }: Extract<CompletedEvent, { type: 'DisputeConfirmed' }>,
): CompletedJob {
  const opening = { tx, block }
  const found = { requestId: null, claimedHash, opening }
  switch (job.status) {
    case 'settling':
      return { ...job, status: 'disputed', dispute: found }
    case 'settled':
      return job.dispute?.end === 'rejected'
        ? { ...job, dispute: { ...job.dispute, opening } }
        : { ...job, status: 'disputed', dispute: found }
    case 'disputed':
      return { ...job, dispute: { ...job.dispute, claimedHash, opening } }
    case 'upheld':
      return { ...job, dispute: { ...job.dispute, opening } }
    default:
      return unreachable(job)
  }
}

function resolved(
  job: CompletedJob,
  { upheld, tx, block }: Extract<CompletedEvent, { type: 'DisputeResolved' }>,
): SettledJob | UpheldJob {
  const before = disputeOf(job)
  assert(before && job.settlement, 'only a settled and disputed job is arbitrated')
  const { requestId, claimedHash, opening } = before
  const dispute = { requestId, claimedHash, opening, resolution: { tx, block } }
  const { settlement } = job
  return upheld
    ? { ...job, status: 'upheld', settlement, dispute }
    : { ...job, status: 'settled', settlement, dispute: { ...dispute, end: 'rejected' } }
}

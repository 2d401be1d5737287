import type { Credits } from '../../src/domain/credits.ts'
import type { Hex32, JobId, TxHash } from '../../src/domain/ids.ts'
import type { SettledAnswer } from '../../src/messages/job.ts'
import type { LaneIntent } from '../../src/messages/lane.ts'
import type { Batch, ChainFact, Receipt } from '../../src/ports/escrow.ts'

/** What became of one intent. */
export type Outcome =
  | { readonly type: 'locked'; readonly jobId: JobId; readonly tx: TxHash; readonly block: number }
  | {
      readonly type: 'lock_refused'
      readonly jobId: JobId
      readonly reason: string
      readonly block?: number
    }
  | {
      readonly type: 'settled'
      readonly jobId: JobId
      readonly tx: TxHash
      readonly block: number
      readonly charged: Credits
      readonly answer: SettledAnswer
    }
  | {
      readonly type: 'settle_refused'
      readonly jobId: JobId
      readonly reason: string
      readonly block?: number
    }
  | {
      readonly type: 'refunded'
      readonly jobId: JobId
      readonly tx: TxHash
      readonly block: number
    }
  | {
      readonly type: 'disputed'
      readonly jobId: JobId
      readonly tx: TxHash
      readonly block: number
      readonly claimedHash: Hex32
    }
  | { readonly type: 'dispute_refused'; readonly jobId: JobId; readonly reason: string }

/** An item that its transaction passed over: the job's history on chain says the rest. */
export interface Skipped {
  readonly type: 'skipped'
  readonly intent: LaneIntent
  readonly reason: string
  /** That holds the transaction. */
  readonly block: number
}

export type JobBatch = Exclude<Batch, { readonly type: 'register' }>

/** Reads, for each item of a batch that was included and did not revert, what became of it. */
export function readReceipt(batch: JobBatch, receipt: Receipt): readonly (Outcome | Skipped)[] {
  const facts = new Map<JobId, ChainFact>()
  for (const fact of receipt.facts) if ('jobId' in fact) facts.set(fact.jobId, fact)
  return batch.items.map((intent) => {
    const fact = facts.get(intent.jobId)
    const reason = fact?.type === 'skipped' ? fact.reason : 'no_event'
    return (fact && asOutcome(fact)) ?? { type: 'skipped', intent, reason, block: receipt.block }
  })
}

/**
 * What a job's history on chain answers to an intent; undefined where it holds no answer. A refund
 * is also answered by a settlement: either one ends the lock.
 */
export function readHistory(
  intent: LaneIntent,
  history: readonly ChainFact[],
): Outcome | undefined {
  const wanted = ENDS[intent.type]
  const fact = history.find(({ type }) => wanted.includes(type))
  return fact && asOutcome(fact)
}

/** All the reasons that JobEscrow has to pass over a dispute, but one, are healed by time. */
export const isRefusedDispute = (reason: string, history: readonly ChainFact[]): boolean =>
  reason === 'DisputeWindowOver' || history.some(({ type }) => type === 'refunded')

export const wasLocked = (history: readonly ChainFact[]): boolean =>
  history.some(({ type }) => type === 'locked')

/** Nothing has ended the lock yet. */
export const isLocked = (history: readonly ChainFact[]): boolean =>
  wasLocked(history) && !history.some(({ type }) => type === 'settled' || type === 'refunded')

/**
 * When the chain has no answer and will not do what was asked.
 * @param block in which the chain passed it over; left out: it was in none
 */
export function refusal(intent: LaneIntent, reason: string, block?: number): Outcome {
  const refused = { type: REFUSALS[intent.type], jobId: intent.jobId, reason }
  const hasBlock = intent.type === 'lock' || intent.type === 'settle'
  return hasBlock && block !== undefined ? { ...refused, block } : refused
}

const REFUSALS = {
  lock: 'lock_refused',
  settle: 'settle_refused',
  // There is no lock to give back.
  refund: 'lock_refused',
  dispute: 'dispute_refused',
} as const satisfies Readonly<Record<LaneIntent['type'], Outcome['type']>>

const ENDS: Readonly<Record<LaneIntent['type'], readonly ChainFact['type'][]>> = {
  lock: ['locked'],
  settle: ['settled'],
  refund: ['refunded', 'settled'],
  dispute: ['disputed'],
}

function asOutcome(fact: ChainFact): Outcome | undefined {
  switch (fact.type) {
    case 'locked':
    case 'refunded':
      return { type: fact.type, jobId: fact.jobId, tx: fact.tx, block: fact.block }
    case 'settled': {
      const { jobId, tx, block, charged, workerId, outputHash } = fact
      return { type: 'settled', jobId, tx, block, charged, answer: { workerId, outputHash } }
    }
    case 'disputed': {
      const { jobId, tx, block, claimedHash } = fact
      return { type: 'disputed', jobId, tx, block, claimedHash }
    }
    default:
      return undefined
  }
}

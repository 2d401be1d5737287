import { NO_CREDITS } from '../../src/domain/credits.ts'
import { unreachable } from '../../src/domain/result.ts'
import type { UnixMs } from '../../src/domain/time.ts'
import type { JobCommand } from '../../src/messages/job.ts'
import { cannotLock } from '../../src/messages/lane.ts'
import type { ChainFact } from '../../src/ports/escrow.ts'
import type { LedgerEntry } from '../../src/ports/ledger.ts'

/** What a fact does to what its wallet can spend; undefined where it does nothing. */
export function ledgerEntryOf(fact: ChainFact): LedgerEntry | undefined {
  switch (fact.type) {
    case 'deposited':
      return { kind: fact.type, credits: fact.credits, at: fact.at, ...placeOf(fact) }
    case 'withdrawn':
    case 'thawing_started':
    case 'thawing_cancelled':
      return { kind: fact.type, credits: fact.credits, ...placeOf(fact) }
    case 'locked':
    case 'refunded':
      return { kind: fact.type, credits: fact.credits, jobId: fact.jobId, ...placeOf(fact) }
    case 'dispute_resolved':
      if (fact.returned === NO_CREDITS) return undefined
      return { kind: fact.type, credits: fact.returned, jobId: fact.jobId, ...placeOf(fact) }
    case 'settled':
      return {
        kind: fact.type,
        credits: fact.returned,
        jobId: fact.jobId,
        charged: fact.charged,
        ...placeOf(fact),
      }
    case 'disputed':
    case 'skipped':
    case 'worker_registered':
    case 'worker_slashed':
      return undefined
    default:
      return unreachable(fact)
  }
}

const placeOf = ({
  wallet,
  block,
  logIndex,
}: Pick<LedgerEntry, 'wallet' | 'block' | 'logIndex'>) => ({
  wallet,
  block,
  logIndex,
})

interface Telling {
  readonly at: UnixMs
  /** Up to this block a reorg may have undone what a lane has told of locks. */
  readonly locksToldTo: number
}

/**
 * What jobs are to be told of final facts.
 * @param facts in the chain's order
 */
export function commandsOf(
  facts: readonly ChainFact[],
  { at, locksToldTo }: Telling,
): JobCommand[] {
  const isTold = (fact: ChainFact, place: number): boolean => {
    if (fact.type !== 'locked' && fact.type !== 'skipped') return true
    if (fact.block > locksToldTo) return false
    // A lock that was passed over may have come later.
    const isItsLock = (other: ChainFact) => other.type === 'locked' && other.jobId === fact.jobId
    return fact.type === 'locked' || !facts.slice(place).some(isItsLock)
  }
  return facts.filter(isTold).flatMap((fact) => {
    const command = commandOf(fact, at)
    if (!command) return []
    const isAnew = command.type === 'ConfirmSettlement' && fact.block <= locksToldTo
    return [isAnew ? { ...command, anew: true } : command]
  })
}

/** Undefined where it is not the watcher's to tell. */
function commandOf(fact: ChainFact, at: UnixMs): JobCommand | undefined {
  switch (fact.type) {
    case 'locked': {
      const { jobId, tx, block } = fact
      return { type: 'ConfirmLock', jobId, tx, block, at }
    }
    case 'settled': {
      const { jobId, tx, block, charged, workerId, outputHash } = fact
      const answer = { workerId, outputHash }
      return { type: 'ConfirmSettlement', jobId, tx, block, charged, answer, at, final: true }
    }
    case 'refunded': {
      const { jobId, tx, block } = fact
      return { type: 'ConfirmRefund', jobId, tx, block, at, final: true }
    }
    case 'skipped': {
      const { jobId, reason, block } = fact
      // The others are for the lane that sent it to explain.
      if (!cannotLock(reason)) return undefined
      return { type: 'RefuseLock', jobId, reason, block, at, final: true }
    }
    case 'disputed': {
      const { jobId, tx, block, claimedHash } = fact
      return { type: 'ConfirmDispute', jobId, tx, block, claimedHash, at }
    }
    case 'dispute_resolved': {
      const { jobId, tx, block, upheld } = fact
      return { type: 'ResolveDispute', jobId, upheld, tx, block, at }
    }
    default:
      return undefined
  }
}

import type { UnixMs } from '../../src/domain/time.ts'
import type { JobCommand } from '../../src/messages/job.ts'
import type { ChainFact } from '../../src/ports/escrow.ts'
import type { LedgerEntry } from '../../src/ports/ledger.ts'

/** What a fact does to its wallet's balance; undefined where it does nothing. */
export function ledgerEntryOf(fact: ChainFact): LedgerEntry | undefined {
  if (fact.type === 'skipped' || fact.type === 'worker_registered') return undefined
  const { wallet, block, logIndex, type: kind } = fact
  const entry = { wallet, block, logIndex, kind }
  switch (fact.type) {
    case 'deposited':
      return { ...entry, credits: fact.credits, at: fact.at }
    case 'settled':
      return { ...entry, credits: fact.returned, jobId: fact.jobId }
    default:
      return { ...entry, credits: fact.credits, jobId: fact.jobId }
  }
}

/** What a job is to be told of a final fact; undefined where it is not the watcher's to tell. */
export function commandOf(fact: ChainFact, at: UnixMs): JobCommand | undefined {
  switch (fact.type) {
    case 'settled': {
      const { jobId, tx, block, charged } = fact
      return { type: 'ConfirmSettlement', jobId, tx, block, charged, at }
    }
    case 'refunded': {
      const { jobId, tx, block } = fact
      return { type: 'ConfirmRefund', jobId, tx, block, at }
    }
    default:
      return undefined
  }
}

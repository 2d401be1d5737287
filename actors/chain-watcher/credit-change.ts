import { NO_CREDITS } from '../../src/domain/credits.ts'
import type { TxHash } from '../../src/domain/ids.ts'
import type { BlockId, LedgerEntry, Standing } from '../../src/ports/ledger.ts'

/** A log that has changed what a wallet owns, and how the wallet stood when it was applied. */
export interface CreditChange {
  readonly entry: LedgerEntry
  readonly tx: TxHash
  /** How many logs of its kind and wallet came before it in its transaction. */
  readonly place: number
  /** Up to which it was taken. */
  readonly seen: BlockId
  readonly standing: Standing | 'unknown_wallet'
}

/** Whether a log changes what its wallet owns. A lock does not: what it takes may come back. */
export const changesOwned = ({ kind }: LedgerEntry): boolean =>
  kind !== 'locked' && kind !== 'refunded'

/** By how much. */
export function changeOf({ kind, credits, charged = NO_CREDITS }: LedgerEntry): bigint {
  switch (kind) {
    case 'deposited':
    case 'thawing_cancelled':
    case 'dispute_resolved':
      return credits
    case 'withdrawn':
    case 'thawing_started':
      return -credits
    case 'settled':
      return -charged
    case 'locked':
    case 'refunded':
      return 0n
  }
}

import type { Credits } from '../../src/domain/credits.ts'
import type { UnixMs } from '../../src/domain/time.ts'
import type { CreditLow } from '../../src/messages/fact.ts'

/**
 * What is kept of a wallet for `credit.low`; nothing is kept of one that never was low. `telling`
 * holds the fact whole, so that a crash between the mark and the telling loses nothing.
 */
export type LowMark = (
  | { readonly is: 'above' }
  | { readonly is: 'telling'; readonly fact: CreditLow }
  | { readonly is: 'told' }
) & {
  /** How often the wallet was low before and above again; 0 where it is left out. */
  readonly returns?: number
}

/** What a log did to what its wallet owns: the credits it could spend, and those in locks. */
export interface Reading {
  readonly owned: Credits
  /** Without the log. Undefined: later logs are in `owned` too, so nobody knows. */
  readonly ownedBefore: bigint | undefined
  readonly isDecrease: boolean
  readonly threshold: Credits
}

export type LowVerdict = 'tell' | 'mark_told' | 'mark_above' | 'nothing'

/** Pure. The balance is low while it is under the threshold; it is told when it comes to be. */
export function judgeLow(isMarked: boolean, reading: Reading): LowVerdict {
  const { owned, ownedBefore, isDecrease, threshold } = reading
  if (owned >= threshold) return isMarked ? 'mark_above' : 'nothing'
  if (isMarked) return 'nothing'
  if (ownedBefore === undefined) {
    // After a crash or a flush: low, and never told. What went up did not bring it there.
    return isDecrease ? 'tell' : 'nothing'
  }
  // Under it already: a first purchase below the threshold, or a threshold that was raised since.
  return ownedBefore >= threshold ? 'tell' : 'mark_told'
}

/** The moment comes with the fact: told again, it is the same. */
export const makeLowFact = (
  about: Pick<CreditLow, 'id' | 'wallet' | 'data'>,
  at: UnixMs,
): CreditLow => ({ ...about, type: 'credit.low', at })

import type { DurationMs } from '../../domain/time.ts'

/** No first look is later: where blocks come at intervals of their own, nothing can be expected. */
const FIRST_MAX_MS: DurationMs = 25
/** A receipt that was there at once may have been there before: the next first look is sooner. */
const SOONER = 7 / 8
/** One transaction that took long must not make the next ones late. */
const LATER = 1 / 2
/** After the first look in vain the next comes after this part of what passed until then. */
const NEXT = 1 / 8
const NEXT_MIN_MS: DurationMs = 0.25

/**
 * When one lane looks for the receipts of its transactions, learned from the looks before.
 *
 * The way of a look must not count. A first look after three quarters of what the last transactions took, the
 * look's own way included, comes after three of these ways and for ever so, however soon the block is there.
 */
export class LookPace {
  private first: DurationMs = 0

  /** From a transaction's taking by the node to the first look. */
  get firstMs(): DurationMs {
    return this.first
  }

  /** From the first look, where it was in vain, to the next. */
  get nextMs(): DurationMs {
    return Math.max(NEXT_MIN_MS, this.first * NEXT)
  }

  /**
   * A look has found the receipt.
   * @param askedMs from the transaction's taking to the sending of that look
   * @param isFirst whether none before it was in vain
   */
  found(askedMs: DurationMs, isFirst: boolean): void {
    const next = isFirst ? this.first * SOONER : this.first + (askedMs - this.first) * LATER
    this.first = Math.min(FIRST_MAX_MS, next)
  }
}

import type { TxHash } from '../../src/domain/ids.ts'
import type { DurationMs } from '../../src/domain/time.ts'
import type { Lane } from '../../src/messages/subjects.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { TransactionRefused } from '../../src/ports/escrow.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { Sent } from './outbox.ts'

/**
 * A node that takes a transaction in no way, and says why in words that nobody here knows: its size or its
 * fee may be meant all the same. So both are tried, in that order, and the operator is told what it said.
 */
export interface Refusals {
  /** @returns what to do about it; undefined: the same bytes go out again */
  heard(sent: Sent, error: TransactionRefused): 'too_large' | 'stuck' | undefined
}

interface Options {
  readonly lane: Lane
  readonly clock: Clock
  readonly log: Log
}

/** A node that only starts, or whose pool is full, takes the same bytes by then. */
const SAME_MS: DurationMs = 15_000
/** Each time by an eighth. No more: what is offered is paid, and the fee may have nothing to do with it. */
const RAISES_MAX = 3
const TELL_EVERY_MS: DurationMs = 60_000

/** Of one nonce. */
export function makeRefusals({ lane, clock, log }: Options): Refusals {
  let first: { readonly hash: TxHash; readonly at: number } | undefined
  let raises = 0
  let toldAt: number | undefined

  const tell = (at: number, { transaction: { nonce, hash } }: Sent, err: TransactionRefused) => {
    if (toldAt !== undefined && at - toldAt < TELL_EVERY_MS) return
    toldAt = at
    log.error(
      { lane, nonce, hash, err },
      `lane: the node does not take a transaction: ${err.message}`,
    )
  }

  return {
    heard: (sent, error) => {
      const { hash } = sent.transaction
      const at = clock.monotonic()
      if (first?.hash !== hash) first = { hash, at }
      if (at - first.at < SAME_MS) return undefined
      tell(at, sent, error)
      if (sent.batch.items.length > 1) return 'too_large'
      return raises++ < RAISES_MAX ? 'stuck' : undefined
    },
  }
}

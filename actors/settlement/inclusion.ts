import type { Lane } from '../../src/messages/subjects.ts'
import type { Clock } from '../../src/ports/clock.ts'
import {
  type Batch,
  BatchTooLarge,
  ChainUnavailable,
  type EscrowWriter,
  type Receipt,
  type SignedTransaction,
  TransactionRefused,
} from '../../src/ports/escrow.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { Outbox, Sent } from './outbox.ts'
import { halves } from './queue.ts'
import { makeRefusals, type Refusals } from './refusals.ts'
import type { Troubles } from './troubles.ts'
import type { UntilChain } from './until-chain.ts'

interface Options {
  readonly lane: Lane
  readonly writer: EscrowWriter
  readonly outbox: Outbox
  readonly untilChain: UntilChain
  readonly troubles: Troubles
  readonly clock: Clock
  readonly log: Log
  /** Items that had to leave a batch: they go before all else. */
  readonly again: Batch[]
}

/** What became of a nonce: the receipt of one of its attempts, and the batch that it carries. */
export interface Included {
  readonly batch: Batch
  readonly receipt: Receipt
}

/** Sees what stands in the outbox into a block, by more than one attempt where need be. */
export interface Inclusion {
  /**
   * @param sequence the outbox's, to write over
   * @param broadcast called once the node has taken an attempt
   */
  include(sent: Sent, sequence: number, broadcast: (sent: Sent) => void): Promise<Included>
}

/** What of a batch goes at its nonce, and what is to follow. */
interface Part {
  readonly transaction: SignedTransaction
  readonly kept: Batch
  readonly rest: readonly Batch[]
}

/**
 * Every attempt is in the outbox before it is sent. So a crash between any two steps leaves either
 * the former attempt alone, or both: and whoever comes next looks for the receipts of both.
 */
export function makeInclusion(options: Options): Inclusion {
  const { lane, writer, outbox, untilChain, troubles, log } = options

  const include: Inclusion['include'] = async (first, read, broadcast) => {
    let sent = first
    let sequence = read
    const refusals = makeRefusals(options)
    let endCapped: (() => void) | undefined
    try {
      for (;;) {
        const answer = await sendOnce(sent, broadcast, refusals)
        if (typeof answer === 'object') return { batch: sent.batch, receipt: answer }
        const next = answer === 'too_large' ? await shorten(sent) : await raise(sent)
        if (next !== 'capped') {
          endCapped?.()
          endCapped = undefined
          sequence = await outbox.write(next, sequence)
          sent = next
        } else if (!endCapped) {
          endCapped = troubles.begin('fee_cap')
          tellCapped(sent)
        }
      }
    } finally {
      endCapped?.()
    }
  }

  const sendOnce = (sent: Sent, broadcast: (sent: Sent) => void, refusals: Refusals) =>
    untilChain(async () => {
      try {
        return await writer.send(lane, sent, () => broadcast(sent))
      } catch (error) {
        const instead = error instanceof TransactionRefused && refusals.heard(sent, error)
        if (instead) return instead
        if (!(error instanceof BatchTooLarge)) throw error
        if (sent.batch.items.length > 1) return 'too_large'
        throw new ChainUnavailable(`one item alone is too much: ${error.message}`, { cause: error })
      }
    })

  const raise = async (sent: Sent): Promise<Sent | 'capped'> => {
    const { transaction: former, batch } = sent
    const transaction = await untilChain(() => writer.replace(lane, former))
    if (transaction === 'capped') return transaction
    const { nonce, hash } = transaction
    const about = { lane, nonce, hash, instead: former.hash, attempt: sent.earlier.length + 2 }
    log.warn(about, 'lane: a transaction is stuck, offering more for it')
    return { transaction, batch, earlier: [...sent.earlier, former.hash] }
  }

  const shorten = async ({ transaction: former, earlier, batch }: Sent): Promise<Sent> => {
    const { nonce, hash } = former
    log.warn({ lane, nonce, hash, items: batch.items.length }, 'lane: a batch is too large, halved')
    const { transaction, kept, rest } = await signHalf(nonce, batch)
    options.again.unshift(...rest)
    return { transaction, batch: kept, earlier: [...earlier, hash] }
  }

  /** Or less: once it is known how small blocks have become, half of it may be too much as well. */
  const signHalf = async (nonce: number, batch: Batch): Promise<Part> => {
    const [kept, rest] = halves(batch)!
    try {
      const transaction = await untilChain(() => writer.sign(lane, nonce, kept))
      return { transaction, kept, rest: [rest] }
    } catch (error) {
      if (!(error instanceof BatchTooLarge) || kept.items.length < 2) throw error
      const less = await signHalf(nonce, kept)
      return { ...less, rest: [...less.rest, rest] }
    }
  }

  const tellCapped = ({ transaction: { nonce, hash }, earlier }: Sent) =>
    log.error(
      { lane, nonce, hash, attempts: earlier.length + 1 },
      'lane: a transaction is stuck, and the chain asks more for it than CHAIN_MAX_FEE_GWEI ' +
        'allows: it waits until that is raised or the chain asks less',
    )

  return { include }
}

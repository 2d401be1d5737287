import type { LaneIntent, LockIntent } from '../../src/messages/lane.ts'
import { type Clock, pause } from '../../src/ports/clock.ts'
import type { EscrowReader, EscrowWriter } from '../../src/ports/escrow.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { HEALED_NONCES, type Outbox, type Sent } from './outbox.ts'
import { isUnderWay, type LaneQueue, markUnderWay } from './queue.ts'
import type { Registrations } from './registrations.ts'
import type { UntilChain } from './until-chain.ts'

/**
 * Looks for what is stored behind the lane's place and in no block, and brings back what nobody else would: locks and
 * registrations.
 *
 * A chain that goes back takes transactions with it. Where somebody else who has the key uses their nonces before they
 * come again, they never do, and no nonce is missing. A job that was told of its settlement asks for nothing any more,
 * and the keeper knows only of locks that stand: once its lock is back, it sees to the end of that.
 * @returns whether something is now to be sent
 */
export type LookBehind = (nextNonce: number) => Promise<boolean>

interface Options {
  readonly queue: LaneQueue
  readonly outbox: Pick<Outbox, 'read'>
  readonly writer: Pick<EscrowWriter, 'isIncluded'>
  readonly reader: Pick<EscrowReader, 'jobFacts'>
  readonly registrations: Registrations
  readonly untilChain: UntilChain
  readonly clock: Clock
  readonly log: Log
  /** @returns whether the intent is now to be sent */
  askChain(intent: LaneIntent): Promise<boolean>
}

/** Nodes behind one address may lag. */
const LAG_MS = 3_000

export function makeLookBehind(options: Options): LookBehind {
  const { queue, outbox, writer, reader, registrations, untilChain, clock, log } = options

  /** Newest first. */
  const stored = async (nextNonce: number): Promise<readonly Sent[]> => {
    const count = Math.min(HEALED_NONCES, nextNonce)
    const nonces = Array.from({ length: count }, (_, i) => nextNonce - 1 - i)
    const read = await Promise.all(nonces.map((nonce) => outbox.read(nonce)))
    return read.flatMap(({ sent }) => sent ?? []).filter(({ batch: { type } }) => KINDS.has(type))
  }
  const inNoBlock = async (all: readonly Sent[]): Promise<readonly Sent[]> => {
    const included = await Promise.all(all.map((sent) => untilChain(() => writer.isIncluded(sent))))
    return all.filter((_, i) => !included[i])
  }
  const lockAgain = async (intents: readonly LockIntent[]): Promise<boolean> => {
    const left = intents.filter((intent) => !isUnderWay(queue, intent))
    markUnderWay(queue, { type: 'lock', items: left }, clock.monotonic())
    const needed = await Promise.all(left.map(options.askChain))
    return needed.includes(true)
  }
  /** A node may keep no receipts that are so old: what happened is on chain all the same. */
  const hasHappened = async ({ batch, transaction, earlier }: Sent): Promise<boolean> => {
    if (batch.type !== 'lock') return false
    const attempts = [transaction.hash, ...earlier]
    for (const { jobId } of batch.items) {
      const history = await untilChain(() => reader.jobFacts(jobId))
      const locked = history.find(({ type }) => type === 'locked')
      if (locked) return attempts.includes(locked.tx)
    }
    return false
  }

  return async (nextNonce) => {
    let gone = await inNoBlock(await stored(nextNonce))
    if (gone.length === 0) return false
    await pause(clock, LAG_MS)
    gone = await inNoBlock(gone)
    let any = false
    for (const sent of gone) {
      const { batch, transaction } = sent
      if (batch.type === 'register') {
        any = (await registrations.ask(batch.items[0], () => {})) || any
      } else if (batch.type === 'lock') {
        if (!(await lockAgain(batch.items))) {
          // Of those before it the node keeps none either. Else its jobs have asked again by themselves.
          if (await hasHappened(sent)) break
          continue
        }
        any = true
        const { nonce, hash } = transaction
        log.warn(
          { lane: 'lock', nonce, hash },
          'lane: a transaction is gone with its nonce, its locks go anew',
        )
      }
    }
    return any
  }
}

const KINDS: ReadonlySet<string> = new Set(['lock', 'register'])

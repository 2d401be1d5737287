import type { JobId } from '../../src/domain/ids.ts'
import { type Clock, pause } from '../../src/ports/clock.ts'
import type { Batch, EscrowReader, EscrowWriter } from '../../src/ports/escrow.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { HEALED_NONCES, type Outbox } from './outbox.ts'
import { wasLocked } from './outcome.ts'
import type { UntilChain } from './until-chain.ts'

/**
 * A chain that goes back loses locks together with what ended them, and two lanes bring them back,
 * each at its own pace.
 */
export interface LocksBack {
  /**
   * Whether the lock lane has stored a transaction with this job's lock that the chain does not hold (yet, or any
   * more). Others do not count: on a busy network there is one on its way at almost any time.
   */
  isOnTheWay(jobId: JobId): Promise<boolean>
  /**
   * Before a stored batch is sent again: waits until the chain holds the locks that it ends. Sent
   * too soon its items would be skipped, and jobs that count as settled do not ask a second time. Where
   * none comes for long, the others are not held up: should one come later, the keeper has its job ended.
   */
  wait(batch: Batch): Promise<void>
}

interface Options {
  readonly lockOutbox: Pick<Outbox, 'read'>
  readonly writer: EscrowWriter
  readonly reader: EscrowReader
  readonly untilChain: UntilChain
  readonly clock: Clock
  readonly log: Log
}

const LOOK_MS = 100
/**
 * Since one came back, at the most. There is a lock on its way at almost any time, be it another one; and where
 * that lane has no coin, or may not offer what the chain asks, the same one is for hours.
 */
const NONE_MS = 30_000

export function makeLocksBack(options: Options): LocksBack {
  const { lockOutbox, writer, reader, untilChain, clock, log } = options

  const nextNonce = () => untilChain(() => writer.nonce('lock'))
  const storedAt = async (nonce: number) => (await lockOutbox.read(nonce)).sent?.batch
  const anyOnTheWay = async () => (await storedAt(await nextNonce())) !== undefined
  const isOnTheWay = async (jobId: JobId) => {
    const next = await nextNonce()
    for (let nonce = next; nonce < next + HEALED_NONCES; nonce++) {
      const batch = await storedAt(nonce)
      if (!batch) return false
      if (batch.type === 'lock' && batch.items.some((lock) => lock.jobId === jobId)) return true
    }
    // A node that tells so low a nonce has yet to come to them.
    return true
  }
  const withoutLock = async (jobIds: readonly JobId[]) => {
    const found = await Promise.all(
      jobIds.map(async (jobId) => {
        const history = await untilChain(() => reader.jobFacts(jobId))
        return wasLocked(history) ? [] : [jobId]
      }),
    )
    return found.flat()
  }

  return {
    isOnTheWay,
    wait: async (batch) => {
      if (batch.type !== 'settle' && batch.type !== 'refund') return
      let missing: readonly JobId[] = batch.items.map(({ jobId }) => jobId)
      let isTold = false
      let cameAt = clock.monotonic()
      for (;;) {
        // In this order: what is not on its way now was included before it is looked for.
        const more = await anyOnTheWay()
        const left = await withoutLock(missing)
        if (left.length < missing.length) cameAt = clock.monotonic()
        missing = left
        const jobs = missing.length
        if (jobs === 0 || !more) return
        if (clock.monotonic() - cameAt >= NONE_MS) {
          log.warn({ jobs }, 'lane: locks do not come back, no longer waiting for them')
          return
        }
        if (!isTold) log.warn({ jobs }, 'lane: waiting for locks to come back')
        isTold = true
        await pause(clock, LOOK_MS)
      }
    },
  }
}

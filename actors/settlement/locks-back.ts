import type { LaneIntent } from '../../src/messages/lane.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Batch, EscrowReader } from '../../src/ports/escrow.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { wasLocked } from './outcome.ts'
import { pause, type UntilChain } from './until-chain.ts'

/**
 * A chain that goes back loses locks together with what ended them, and two lanes bring them back,
 * each at its own pace. How long the end of a lock waits for the lock.
 */
export const LOCKS_BACK_MS = 30_000
const LOOK_MS = 250

interface Options {
  readonly lane: string
  readonly reader: EscrowReader
  readonly untilChain: UntilChain
  readonly clock: Clock
  readonly log: Log
}

/**
 * Before a stored batch is sent again: waits until the chain holds the locks that it ends. Sent too
 * soon its items would be skipped, and jobs that count as settled do not ask a second time.
 */
export async function untilLocksAreBack(options: Options, batch: Batch): Promise<void> {
  if (batch.type !== 'settle' && batch.type !== 'refund') return
  const { clock, log, lane } = options
  const until = clock.monotonic() + LOCKS_BACK_MS
  for (let missing: readonly LaneIntent[] = batch.items; ; ) {
    missing = await withoutLock(options, missing)
    if (missing.length === 0) return
    if (clock.monotonic() >= until) {
      log.error(
        { lane, jobs: missing.length },
        'lane: locks are not on chain, sending all the same',
      )
      return
    }
    await pause(clock, LOOK_MS)
  }
}

async function withoutLock(
  { reader, untilChain }: Options,
  intents: readonly LaneIntent[],
): Promise<readonly LaneIntent[]> {
  const found = await Promise.all(
    intents.map(async (intent) => {
      const history = await untilChain(() => reader.jobFacts(intent.jobId))
      return wasLocked(history) ? [] : [intent]
    }),
  )
  return found.flat()
}

import type { LaneIntent } from '../../src/messages/lane.ts'
import type { Lane } from '../../src/messages/subjects.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { ChainFact, EscrowReader } from '../../src/ports/escrow.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { LocksBack } from './locks-back.ts'
import {
  isLocked,
  isRefusedDispute,
  type Outcome,
  readHistory,
  refusal,
  type Skipped,
  wasLocked,
} from './outcome.ts'
import { forget, type LaneQueue } from './queue.ts'
import type { Troubles } from './troubles.ts'
import type { UntilChain } from './until-chain.ts'

interface Options {
  readonly lane: Lane
  readonly queue: LaneQueue
  readonly reader: EscrowReader
  readonly locksBack: LocksBack
  readonly untilChain: UntilChain
  readonly troubles: Troubles
  readonly clock: Clock
  readonly log: Log
  conclude(outcome: Outcome, intent: LaneIntent): void
}

/** Finds out why an item was passed over: most often because it had happened already. */
export type Explain = (skipped: Skipped) => Promise<void>

/**
 * All that may be charged in this hour is charged: the next one may be minutes away, and each try
 * costs gas.
 */
const CAPPED_MS = 30_000
/** By then a job has asked again, and was passed over again. */
const CAPPED_STILL_MS = CAPPED_MS + 10_000

/** Reasons that the job's past may explain; the others are found only in a job as it should be. */
const OF_THE_PAST: ReadonlySet<string> = new Set([
  // Both come before the contract looks at the job, which may be locked already.
  'Paused',
  'reverted',
  'JobIdUsed',
  'NotLocked',
  'NotSettled',
  'no_event',
])

export function makeExplain(options: Options): Explain {
  const { queue, reader, locksBack, untilChain, clock, log, lane, conclude } = options
  const capReached = makeCapReached(options)
  return async ({ intent, reason, block }) => {
    const { jobId, type: kind } = intent
    const past = OF_THE_PAST.has(reason)
    const endsLock = kind === 'settle' || kind === 'refund'
    // Asked before the history is read: a lock that comes in between is found there.
    const lockMayCome = past && endsLock && (await locksBack.isOnTheWay(jobId))
    const history = past ? await untilChain(() => reader.jobFactsAt(block, jobId)) : []
    // What passed it over is in that block, and what explains it may be, too: the job asks again.
    if (!history) return forget(queue, intent)
    const outcome = readHistory(intent, history)
    const about = { lane, jobId, kind, reason, outcome: outcome?.type }
    log.info(about, 'lane: the chain skipped an item')
    if (outcome) conclude(outcome, intent)
    else if (reason === 'SettleCapReached') {
      capReached()
      // Until then it counts as under way, whatever its job asks.
      clock.after(CAPPED_MS, () => forget(queue, intent))
    } else if (lockMayCome || mayHappenYet(kind, reason, history)) forget(queue, intent)
    else {
      // Its caller was told that it is on its way.
      if (kind === 'dispute') log.error({ jobId, reason }, 'lane: a dispute can never be opened')
      // A lock that somebody else has ended does not come again.
      const isEnded = kind === 'settle' && wasLocked(history)
      conclude(refusal(intent, isEnded ? 'LockReturned' : reason, block), intent)
    }
  }
}

/**
 * A lock or a settlement that is under way, or that was lost with the chain's last blocks and is
 * about to be sent again: the job asks again until then.
 */
function mayHappenYet(
  kind: LaneIntent['type'],
  reason: string,
  history: readonly ChainFact[],
): boolean {
  if (kind === 'refund') return wasLocked(history)
  // The lock came back after the settlement was passed over, and before anybody looked.
  if (kind === 'settle') return isLocked(history)
  return kind === 'dispute' && !isRefusedDispute(reason, history)
}

/** One trouble, from the first settlement above the cap until none was for a while. */
function makeCapReached({ troubles, clock, log, lane }: Options): () => void {
  let end: (() => void) | undefined
  let cancel: (() => void) | undefined
  return () => {
    if (!end) log.error({ lane }, 'lane: the cap on settlements in this hour is reached')
    end ??= troubles.begin('settle_cap')
    cancel?.()
    cancel = clock.after(CAPPED_STILL_MS, () => {
      end?.()
      end = undefined
    })
  }
}

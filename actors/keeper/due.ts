import type { JobId } from '../../src/domain/ids.ts'
import type { Earner, KeeperTerms } from '../../src/ports/keeper.ts'
import type { Opening, Openings, Watch } from './state.ts'

/** What has outlived its time. All times in Unix seconds, by the chain. */
export interface Due {
  /** Locks that anyone may take back, the oldest first. */
  readonly refunds: readonly DueRefund[]
  /** Locks that stand and whose jobs may have ended: they are to say how. */
  readonly standing: readonly StandingLock[]
  readonly disputes: readonly JobId[]
  /** Whose earnings are worth a look: the first of them have been held long enough. */
  readonly earners: readonly Earner[]
}

export interface StandingLock {
  readonly jobId: JobId
  /** In which it was locked. */
  readonly block: number
}

export interface DueRefund {
  readonly jobId: JobId
  /** So late that it does not matter any more whether its job still hopes to be settled. */
  readonly isOverdue: boolean
}

/** So long before anyone may take a lock back its job has ended, or never will by itself. */
const STANDING_SECONDS = 30
/** The service ends its own jobs long before: where it does, the keeper finds nothing to do. */
const MARGIN_SECONDS = 60
/**
 * A job that was answered and waits to be settled is left its lock for so long: the chain may have been
 * down, or the cap of the hour reached. Then its caller has waited long enough.
 */
const SETTLING_GRACE_SECONDS = 2 * 60 * 60

export function due(watch: Watch, now: number, terms: KeeperTerms): Due {
  const { expirySeconds, arbitrationSeconds, disputeSeconds } = terms
  const isExpired = ({ at }: Opening) => at + expirySeconds + MARGIN_SECONDS <= now
  const isStanding = ({ at }: Opening) => at + expirySeconds - STANDING_SECONDS <= now
  const isOverdue = ({ at }: Opening) => at + expirySeconds + SETTLING_GRACE_SECONDS <= now
  const isUndecided = ({ at }: Opening) => at + arbitrationSeconds + MARGIN_SECONDS <= now
  return {
    refunds: open(watch.locks, isExpired).map(([jobId, opening]) => ({
      jobId,
      isOverdue: isOverdue(opening),
    })),
    standing: [
      ...new Map([
        ...open(watch.locks, isStanding),
        ...[...watch.doubted.keys()].flatMap((jobId) => {
          const lock = watch.locks.get(jobId)
          return lock?.closedIn === null ? [[jobId, lock] as const] : []
        }),
      ]),
    ].map(([jobId, { block }]) => ({ jobId, block })),
    disputes: open(watch.disputes, isUndecided).map(([jobId]) => jobId),
    // Held for one window of disputes and what is left of the one before.
    earners: [...watch.earners].flatMap(([earner, { since }]) =>
      since + 2 * disputeSeconds <= now ? earner : [],
    ),
  }
}

function open(
  openings: Openings,
  isDue: (opening: Opening) => boolean,
): readonly (readonly [JobId, Opening])[] {
  const found: (readonly [JobId, Opening])[] = []
  for (const entry of openings) {
    // In order of their time: those that follow are younger.
    if (!isDue(entry[1])) break
    if (entry[1].closedIn === null) found.push(entry)
  }
  return found
}

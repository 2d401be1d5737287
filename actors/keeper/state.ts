import type { JobId } from '../../src/domain/ids.ts'
import { unreachable } from '../../src/domain/result.ts'
import type { Earner, KeeperEvent } from '../../src/ports/keeper.ts'

/**
 * What may have to be ended by someone, as far as the chain's logs tell. Before anything is done the
 * chain itself is asked: what is here too much costs one question, and only what is missing matters.
 */
export interface Watch {
  readonly locks: Openings
  readonly disputes: Openings
  /** Who may have something to claim. */
  readonly earners: ReadonlyMap<Earner, Earning>
  /**
   * Jobs that blocks spoke of which are gone, with the block that the chain went back to: they may
   * think that a lock has ended which stands again.
   */
  readonly doubted: ReadonlyMap<JobId, number>
}

/** In the order in which they were opened. A job locks once, and is disputed once. */
export type Openings = ReadonlyMap<JobId, Opening>

export interface Opening {
  readonly block: number
  /** Unix seconds, by the chain. */
  readonly at: number
  /** Kept for a while after its end: a reorg may undo that. */
  readonly closedIn: number | null
}

export interface Earning {
  /** Of what was not claimed yet, the oldest. Unix seconds, by the chain. */
  readonly since: number
  /** Of the latest. */
  readonly block: number
}

export const EMPTY: Watch = {
  locks: new Map(),
  disputes: new Map(),
  earners: new Map(),
  doubted: new Map(),
}

/** A reorg can be followed so far back. */
export const REWIND_BLOCKS = 64

/**
 * Events of the blocks after those already told, up to block `upTo`. Told again from an earlier block
 * on, in the chain's order, they come to the same.
 */
export function evolve(watch: Watch, events: readonly KeeperEvent[], upTo: number): Watch {
  const locks = new Map(watch.locks)
  const disputes = new Map(watch.disputes)
  const earners = new Map(watch.earners)
  const doubted = new Map(watch.doubted)
  for (const event of events) {
    const { jobId, block, at } = event
    switch (event.type) {
      case 'locked':
        locks.set(jobId, { block, at, closedIn: null })
        break
      case 'refunded':
        close(locks, jobId, block)
        doubted.delete(jobId)
        break
      case 'settled':
        close(locks, jobId, block)
        doubted.delete(jobId)
        earn(earners, event.workerId, event)
        earn(earners, 'treasury', event)
        break
      case 'disputed':
        disputes.set(jobId, { block, at, closedIn: null })
        break
      case 'dispute_resolved':
        close(disputes, jobId, block)
        // What was contested is due again, unless the caller was right.
        earn(earners, event.workerId, event)
        earn(earners, 'treasury', event)
        break
      default:
        unreachable(event)
    }
  }
  for (const [jobId, since] of doubted) if (since < upTo - REWIND_BLOCKS) doubted.delete(jobId)
  return { locks: young(locks, upTo), disputes: young(disputes, upTo), earners, doubted }
}

function close(openings: Map<JobId, Opening>, jobId: JobId, block: number): void {
  const opening = openings.get(jobId)
  if (opening) openings.set(jobId, { ...opening, closedIn: block })
}

function earn(earners: Map<Earner, Earning>, earner: Earner, { at, block }: KeeperEvent): void {
  earners.set(earner, { since: earners.get(earner)?.since ?? at, block })
}

/** Without what ended longer ago than any reorg reaches. */
function young(openings: Map<JobId, Opening>, upTo: number): Openings {
  for (const [jobId, { closedIn }] of openings) {
    if (closedIn !== null && closedIn < upTo - REWIND_BLOCKS) openings.delete(jobId)
  }
  return openings
}

/**
 * As it was after `block`, at most REWIND_BLOCKS ago. Earners may be too many then, never too few.
 * What the blocks after it said of locks is doubted.
 */
export function rewind(watch: Watch, block: number): Watch {
  const doubted = new Map(watch.doubted)
  for (const [jobId, opening] of watch.locks) {
    if (opening.block > block || (opening.closedIn ?? 0) > block) doubted.set(jobId, block)
  }
  return {
    locks: before(watch.locks, block),
    disputes: before(watch.disputes, block),
    earners: watch.earners,
    doubted,
  }
}

function before(openings: Openings, block: number): Openings {
  const kept = new Map<JobId, Opening>()
  for (const [jobId, opening] of openings) {
    if (opening.block > block) continue
    const isReopened = opening.closedIn !== null && opening.closedIn > block
    kept.set(jobId, isReopened ? { ...opening, closedIn: null } : opening)
  }
  return kept
}

/** Everything that `earner` has earned until `at` is paid out, or is none: `earning` says what is left. */
export function withEarner(watch: Watch, earner: Earner, earning: Earning | undefined): Watch {
  const earners = new Map(watch.earners)
  if (earning) earners.set(earner, earning)
  else earners.delete(earner)
  return { ...watch, earners }
}

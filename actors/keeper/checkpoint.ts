import { endOf, type Trail } from '../../src/domain/block-trail.ts'
import type { Address, JobId } from '../../src/domain/ids.ts'
import type { Earner } from '../../src/ports/keeper.ts'
import { type Earning, EMPTY, type Opening, rewind, type Watch } from './state.ts'

/** Where the keeper goes on after a restart: at the end of the trail, with what was open there. */
export interface Checkpoint {
  readonly jobEscrow: Address
  readonly trail: Trail
  readonly locks: readonly (readonly [JobId, Opening])[]
  readonly disputes: readonly (readonly [JobId, Opening])[]
  readonly earners: readonly (readonly [Earner, Earning])[]
}

/** What fits into one message with room to spare, at about 60 bytes each. */
const OPENINGS_MAX = 4_000

/**
 * The oldest of what is open, as much as fits, and the trail up to there. What was opened later is read
 * from the chain again: a checkpoint never grows with the traffic.
 * @returns undefined where the trail does not reach back to there: an older checkpoint is as good
 */
export function checkpointOf(
  watch: Watch,
  trail: Trail,
  jobEscrow: Address,
  openingsMax = OPENINGS_MAX,
): Checkpoint | undefined {
  const blocks = [...watch.locks.values(), ...watch.disputes.values()].map(({ block }) => block)
  const firstLeftOut = blocks.sort((a, b) => a - b)[openingsMax] ?? Number.POSITIVE_INFINITY
  const kept = trail.filter(({ block }) => block < firstLeftOut)
  const end = endOf(kept)
  if (!end) return undefined
  // What ended later is told again as well.
  const { locks, disputes, earners } = rewind(watch, end.block)
  return {
    jobEscrow,
    trail: kept,
    locks: [...locks],
    disputes: [...disputes],
    earners: [...earners],
  }
}

export function watchOf({ locks, disputes, earners }: Checkpoint): Watch {
  // Doubts are not kept: a lock that they were about is asked after once it has stood for long.
  return { ...EMPTY, locks: new Map(locks), disputes: new Map(disputes), earners: new Map(earners) }
}

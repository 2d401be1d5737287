import type { Hex32 } from './ids.ts'

/** A block that has been read, as have all before it. */
export interface Seen {
  readonly block: number
  readonly hash: Hex32
}

/** The last blocks seen, oldest first: how far back a reorg can be followed exactly. */
export type Trail = readonly Seen[]

/** Of several nodes behind one address one may lag so long; a chain that has gone back stays so. */
export const LAG_MAX_MS = 3_000

/** The part of the trail up to `block`. */
export const upTo = (trail: Trail, block: number): Trail =>
  trail.filter((seen) => seen.block <= block)

export const endOf = (trail: Trail): Seen | undefined => trail.at(-1)

/** @returns the newest block of the trail that the chain still holds; undefined where it holds none */
export async function lastCommon(
  trail: Trail,
  reader: { block(number: number): Promise<{ readonly hash: Hex32 } | undefined> },
): Promise<Seen | undefined> {
  for (const seen of [...trail].reverse()) {
    if ((await reader.block(seen.block))?.hash === seen.hash) return seen
  }
  return undefined
}

/** Of one read. */
export const RANGE_BLOCKS_MAX = 500
const NEAR_RANGE_BLOCKS = 8

interface RangeTerms {
  /** The last block that counts. */
  readonly final: number
  /** This many blocks before it are near. */
  readonly near: number
  /** Blocks of a range that is far. */
  readonly most?: number
}

/**
 * The last block of the next range to read. Near the head ranges are short: the trail is finer there, so
 * that a reorg costs few blocks that are read again.
 */
export function rangeEnd(
  from: number,
  { final, near, most = RANGE_BLOCKS_MAX }: RangeTerms,
): number {
  const far = final - near
  return from < far ? Math.min(far, from + most - 1) : from + NEAR_RANGE_BLOCKS - 1
}

/** Nobody knows what is in the first one. */
export const RANGE_BLOCKS_FIRST = 16
/** A log is some five kilobytes of memory while its range is read. */
const RANGE_LOGS_MAX = 10_000

/** How many blocks the range after one of `blocks` may have, in which there were so many logs. */
export function nextRangeBlocks(blocks: number, logs: number): number {
  if (logs > RANGE_LOGS_MAX) return Math.max(NEAR_RANGE_BLOCKS, Math.floor(blocks / 2))
  return logs * 2 > RANGE_LOGS_MAX ? blocks : Math.min(RANGE_BLOCKS_MAX, blocks * 2)
}

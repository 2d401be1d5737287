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

/**
 * The last block of the next range to read. Near the head ranges are short: the trail is finer there, so
 * that a reorg costs few blocks that are read again.
 * @param final the last block that counts @param near this many blocks before it are near
 */
export function rangeEnd(from: number, { final, near }: { final: number; near: number }): number {
  const far = final - near
  return from < far ? Math.min(far, from + RANGE_BLOCKS_MAX - 1) : from + NEAR_RANGE_BLOCKS - 1
}

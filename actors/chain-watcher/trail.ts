import type { Hex32 } from '../../src/domain/ids.ts'

/** A block whose facts, and those of all before it, have been read. */
export interface Seen {
  readonly block: number
  readonly hash: Hex32
}

/** The last blocks seen, oldest first: how far back a reorg can be followed exactly. */
export type Trail = readonly Seen[]

const TRAIL_MAX = 64

/** @param done everything up to this block was taken; the trail never begins after it */
export function follow(trail: Trail, seen: Seen, done: number): Trail {
  const longer = [...trail, seen]
  let drop = 0
  while (longer.length - drop > TRAIL_MAX && longer[drop + 1]!.block <= done) drop++
  return longer.slice(drop)
}

/** The part of the trail up to `block`. */
export const upTo = (trail: Trail, block: number): Trail =>
  trail.filter((seen) => seen.block <= block)

export const endOf = (trail: Trail): Seen | undefined => trail.at(-1)

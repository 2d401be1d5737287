import type { Hex32 } from '../../src/domain/ids.ts'

/** A block whose facts have been taken. */
export interface Seen {
  readonly block: number
  readonly hash: Hex32
}

/** The last blocks seen, oldest first: how far back a reorg can be followed exactly. */
export type Trail = readonly Seen[]

const TRAIL_MAX = 64

export const follow = (trail: Trail, seen: Seen): Trail => [...trail, seen].slice(-TRAIL_MAX)

/** The part of the trail up to `block`. */
export const upTo = (trail: Trail, block: number): Trail =>
  trail.filter((seen) => seen.block <= block)

/** What the registry holds of a watcher: everything up to `trail`'s end was taken by all. */
export interface Cursor {
  readonly trail: Trail
}

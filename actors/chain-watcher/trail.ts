import type { Seen, Trail } from '../../src/domain/block-trail.ts'

const TRAIL_MAX = 64

/** @param done everything up to this block was taken; the trail never begins after it */
export function follow(trail: Trail, seen: Seen, done: number): Trail {
  const longer = [...trail, seen]
  let drop = 0
  while (longer.length - drop > TRAIL_MAX && longer[drop + 1]!.block <= done) drop++
  return longer.slice(drop)
}

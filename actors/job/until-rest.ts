import { keepNewest } from '../../src/domain/newest.ts'
import type { Follower } from '../../src/runtime/follower.ts'
import { rests } from './due.ts'
import type { Job } from './state.ts'

/** Of more than come to rest while partitions are read. */
const REMEMBERED_MOST = 10_000

/**
 * `follower` without what is older than a job's rest. The journal is read while jobs go on: one that comes to rest
 * meanwhile would be found in an earlier state, and taken for one that lives, for ever.
 */
export function untilRest(follower: Follower<Job>): Follower<Job> {
  /** Sequence of its last record, by job. */
  const rested = new Map<string, number>()
  return {
    changed: (id, sequence, job, how) => {
      if (how === 'read' && sequence <= (rested.get(id) ?? 0)) return
      if (how !== 'read' && rests(job)) keepNewest(rested, id, sequence, REMEMBERED_MOST)
      follower.changed(id, sequence, job, how)
    },
    get oldestPending() {
      return follower.oldestPending
    },
  }
}

import type { LaneIntent } from '../../src/messages/lane.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { type IntentKey, keyOf } from './queue.ts'

/** What is heard before the outbox has been read: only then is it known what of it has been done. */
export interface Unread {
  add(intent: LaneIntent): void
  /** @returns all of it, in the order in which it was heard first, and forgets it */
  takeAll(): readonly LaneIntent[]
  readonly count: number
  /** Since when there is something, by the monotonic clock. */
  readonly since: number
}

export function makeUnread(clock: Clock): Unread {
  // By what they want: a job that hears nothing says it again each second.
  const intents = new Map<IntentKey, LaneIntent>()
  let since = clock.monotonic()
  return {
    add: (intent) => {
      if (intents.size === 0) since = clock.monotonic()
      const key = keyOf(intent)
      if (!isAbandoned(intents.get(key))) intents.set(key, intent)
    },
    takeAll: () => {
      const all = [...intents.values()]
      intents.clear()
      return all
    },
    get count() {
      return intents.size
    },
    get since() {
      return since
    },
  }
}

/** A caller who has gone stays gone: what was said before that may come after it. */
const isAbandoned = (intent: LaneIntent | undefined): boolean =>
  intent?.type === 'lock' && intent.abandon

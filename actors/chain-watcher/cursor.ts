import { endOf, type Trail } from '../../src/domain/block-trail.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Registry } from '../../src/ports/registry.ts'
import type { Log } from '../../src/telemetry/log.ts'

/** How far the watcher has come. */
export interface Cursor {
  /** All up to its end was taken by all. Empty: nothing was. */
  readonly trail: Trail
  /** Up to this block jobs hear of their locks from the watcher, too: a reorg may have undone others. */
  readonly locksToldTo: number
}

/** Keeps the cursor across restarts. An old one is harmless: facts are told again. */
export interface CursorStore {
  load(): Promise<Cursor>
  /** Keeps the latest one, a few times a second at most. */
  save(cursor: Cursor): void
  /** The last block that whoever goes on from here would not read again; -1: there is none. */
  kept(): number
  /** Keeps what is not kept yet, and nothing after that: the next watcher may have come further. */
  stop(): Promise<void>
}

interface Options {
  readonly registry: Registry
  readonly clock: Clock
  readonly log: Log
}

const KEY = 'watcher'
const SAVE_MS = 200
const NOTHING = -1
const lastOf = ({ trail }: Cursor): number => endOf(trail)?.block ?? NOTHING

export function makeCursorStore({ registry, clock, log }: Options): CursorStore {
  let unsaved: Cursor | undefined
  let cancel: (() => void) | undefined
  let kept = NOTHING
  let stopped = false

  const write = async () => {
    cancel = undefined
    const cursor = unsaved
    unsaved = undefined
    if (!cursor) return
    try {
      await registry.set(KEY, cursor)
      // The trail may have gone back meanwhile.
      kept = Math.min(lastOf(cursor), lastOf(unsaved ?? cursor))
    } catch (error) {
      log.warn({ err: error }, 'watcher: cursor not saved, the next one will be')
    }
  }

  return {
    load: async () => {
      const entry = await registry.get(KEY)
      // Only watchers write here; earlier versions left the trail alone.
      const left = entry?.value as Partial<Cursor> | undefined
      const cursor = { trail: [], locksToldTo: NOTHING, ...left }
      kept = lastOf(cursor)
      return cursor
    },
    save: (cursor) => {
      if (stopped) return
      unsaved = cursor
      kept = Math.min(kept, lastOf(cursor))
      cancel ??= clock.after(SAVE_MS, () => void write())
    },
    kept: () => kept,
    stop: async () => {
      stopped = true
      cancel?.()
      await write()
    },
  }
}

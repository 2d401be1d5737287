import { endOf, type Trail } from '../../src/domain/block-trail.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Registry } from '../../src/ports/registry.ts'
import type { Log } from '../../src/telemetry/log.ts'

/** How far the watcher has come, kept across restarts. Old is harmless: facts are told again. */
export interface CursorStore {
  load(): Promise<Trail>
  /** Keeps the latest trail, a few times a second at most. */
  save(trail: Trail): void
  /** The last block that whoever goes on from here would not read again; -1: there is none. */
  kept(): number
  /** Keeps what is not kept yet. */
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
const lastOf = (trail: Trail): number => endOf(trail)?.block ?? NOTHING

export function makeCursorStore({ registry, clock, log }: Options): CursorStore {
  let unsaved: Trail | undefined
  let cancel: (() => void) | undefined
  let kept = NOTHING

  const write = async () => {
    cancel = undefined
    const trail = unsaved
    unsaved = undefined
    if (!trail) return
    try {
      await registry.set(KEY, { trail })
      // The trail may have gone back meanwhile.
      kept = Math.min(lastOf(trail), unsaved ? lastOf(unsaved) : lastOf(trail))
    } catch (error) {
      log.warn({ err: error }, 'watcher: cursor not saved, the next one will be')
    }
  }

  return {
    load: async () => {
      const entry = await registry.get(KEY)
      // Only watchers write here.
      const trail = (entry?.value as { readonly trail: Trail } | undefined)?.trail ?? []
      kept = lastOf(trail)
      return trail
    },
    save: (trail) => {
      unsaved = trail
      kept = Math.min(kept, lastOf(trail))
      cancel ??= clock.after(SAVE_MS, () => void write())
    },
    kept: () => kept,
    stop: async () => {
      cancel?.()
      await write()
    },
  }
}

import type { Clock } from '../../src/ports/clock.ts'
import type { Registry } from '../../src/ports/registry.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { Trail } from './trail.ts'

/** How far the watcher has come, kept across restarts. Old is harmless: facts are told again. */
export interface CursorStore {
  load(): Promise<Trail>
  /** Keeps the latest trail, a few times a second at most. */
  save(trail: Trail): void
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

export function makeCursorStore({ registry, clock, log }: Options): CursorStore {
  let unsaved: Trail | undefined
  let cancel: (() => void) | undefined

  const write = async () => {
    cancel = undefined
    const trail = unsaved
    unsaved = undefined
    if (!trail) return
    try {
      await registry.set(KEY, { trail })
    } catch (error) {
      log.warn({ err: error }, 'watcher: cursor not saved, the next one will be')
    }
  }

  return {
    load: async () => {
      const entry = await registry.get(KEY)
      // Only watchers write here.
      return (entry?.value as { readonly trail: Trail } | undefined)?.trail ?? []
    },
    save: (trail) => {
      unsaved = trail
      cancel ??= clock.after(SAVE_MS, () => void write())
    },
    stop: async () => {
      cancel?.()
      await write()
    },
  }
}

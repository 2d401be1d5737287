import type { Trail } from '../../src/domain/block-trail.ts'
import type { Address } from '../../src/domain/ids.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Registry } from '../../src/ports/registry.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { type Checkpoint, checkpointOf } from './checkpoint.ts'
import type { Watch } from './state.ts'

/** The keeper's memory across restarts. An old one is as good, a lost one is read from the chain. */
export interface CheckpointStore {
  load(): Promise<Checkpoint | undefined>
  /** Keeps the latest, every few seconds at most. */
  save(watch: Watch, trail: Trail): Promise<void>
  /** Keeps the latest now. */
  saveNow(watch: Watch, trail: Trail): Promise<void>
}

interface Options {
  /** Bucket CURSORS. */
  readonly registry: Registry
  readonly jobEscrow: Address
  readonly clock: Clock
  readonly log: Log
}

const KEY = 'keeper'
const SAVE_MS = 5_000

export function makeCheckpointStore({ registry, jobEscrow, clock, log }: Options): CheckpointStore {
  let nextAt = 0
  let savedWatch: Watch | undefined
  const saveNow = async (watch: Watch, trail: Trail) => {
    if (watch === savedWatch) return
    nextAt = clock.monotonic() + SAVE_MS
    const checkpoint = checkpointOf(watch, trail, jobEscrow)
    if (!checkpoint) return
    try {
      await registry.set(KEY, checkpoint)
      savedWatch = watch
    } catch (error) {
      log.warn({ err: error }, 'keeper: checkpoint not saved, the next one will be')
    }
  }
  return {
    load: async () => {
      // Only keepers write here.
      const value = (await registry.get(KEY))?.value as Checkpoint | undefined
      return value?.jobEscrow === jobEscrow ? value : undefined
    },
    save: async (watch, trail) => {
      if (clock.monotonic() >= nextAt) await saveNow(watch, trail)
    },
    saveNow,
  }
}

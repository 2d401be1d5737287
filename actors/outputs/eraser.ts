import type { Clock } from '../../src/ports/clock.ts'
import type { StoreFile } from '../../src/ports/store-file.ts'
import type { Log } from '../../src/telemetry/log.ts'

interface Options {
  readonly file: StoreFile
  readonly clock: Clock
  readonly log: Log
}

/** A job's window: what has expired is on disk for about so long, and no longer. */
export const ERASE_MS = 120_000

/** Sees to it that answers leave the store's disk once they have expired. One host runs it. */
export function makeEraser({ file, clock, log }: Options) {
  let failing = false
  let running: Promise<void> | undefined
  let stopTimer = () => {}

  const erase = async () => {
    try {
      await file.rewrite()
      failing = false
    } catch (error) {
      const words =
        'outputs: Redis does not write its append-only file anew, and expired answers stay ' +
        'in it: see that the user `actors` may BGREWRITEAOF, and that the disk has room'
      if (!failing) log.warn({ err: error }, words)
      failing = true
    }
  }
  const eraseNow = () => {
    running = erase()
  }
  return {
    start: () => {
      stopTimer = clock.every(ERASE_MS, eraseNow)
    },
    /**
     * For a store that has been started again. Where its file was cut off in the middle of a transaction, Redis
     * leaves the beginning of that in it, and takes it for the beginning of the next one at the restart after this.
     */
    eraseNow,
    stop: async () => {
      stopTimer()
      await running
    },
  }
}

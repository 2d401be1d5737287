import { keepNewest } from '../../domain/newest.ts'
import type { Clock } from '../../ports/clock.ts'
import type { KeyUses } from '../../ports/key-uses.ts'
import type { Log } from '../../telemetry/log.ts'

interface Options {
  readonly keyUses: KeyUses
  readonly clock: Clock
  readonly log: Log
}

const EVERY_MS = 60_000
const KEYS_MAX = 10_000

/** Notes that a key was used, once a minute at most. No request waits for it or fails by it. */
export function makeNoteUse({ keyUses, clock, log }: Options): (hash: string) => void {
  /** By `clock.monotonic()`. The longest ago comes first. */
  const noted = new Map<string, number>()
  return (hash) => {
    const now = clock.monotonic()
    const last = noted.get(hash)
    if (last !== undefined && now - last < EVERY_MS) return
    keepNewest(noted, hash, now, KEYS_MAX)
    keyUses.note(hash, clock.now()).catch((error: unknown) => {
      log.debug({ err: error }, 'keys: the use is not noted')
    })
  }
}

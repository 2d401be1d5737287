import type { Clock } from '../../src/ports/clock.ts'
import { ChainUnavailable } from '../../src/ports/escrow.ts'
import type { Log } from '../../src/telemetry/log.ts'

/** Whoever waited was stopped meanwhile. */
export class Stopped extends Error {}

const RETRY_MIN_MS = 50
const RETRY_MAX_MS = 1_000

/** Repeats a question to the chain until it is answered. @throws {Stopped} */
export type UntilChain = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>

interface Options {
  readonly clock: Clock
  readonly log: Log
  readonly alive: () => boolean
}

/** Tells of an outage once, however many wait for its end. */
export function makeUntilChain({ clock, log, alive }: Options): UntilChain {
  let down = false
  return async (ask) => {
    for (let waitMs = RETRY_MIN_MS; ; waitMs = Math.min(RETRY_MAX_MS, waitMs * 2)) {
      if (!alive()) throw new Stopped()
      try {
        const answer = await ask()
        if (down) log.info('chain: answers again')
        down = false
        return answer
      } catch (error) {
        if (!(error instanceof ChainUnavailable)) throw error
        if (!down) log.warn({ err: error }, 'chain: unavailable, trying again until it answers')
        down = true
      }
      await pause(clock, waitMs)
    }
  }
}

export const pause = (clock: Clock, spanMs: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(spanMs, resolve)
  })

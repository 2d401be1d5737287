import type { Clock } from '../ports/clock.ts'
import type { Log } from '../telemetry/log.ts'

export interface PokedLoop {
  /** Runs soon, or once more after the run that is under way. Poke at least once a second. */
  poke(): void
  /** Resolves when nothing is under way. */
  stop(): Promise<void>
}

interface Options {
  /** In logs. */
  readonly name: string
  /** @returns whether there is more to do */
  step(): Promise<boolean>
  readonly clock: Clock
  readonly log: Log
}

const REST_MS_FIRST = 100
/** Just below the second at which whoever pokes here does so anyway. */
const REST_MS_MAX = 900

/**
 * Runs `step` until it has nothing left to do, once more whenever poked, never twice at a time. What
 * fails is told once and tried again at the next poke; what goes on failing rests in between, longer each time: a
 * chain may have ten blocks a second, and a node that refuses for being asked too much would be asked ten times as much.
 */
export function makePokedLoop({ name, step, clock, log }: Options): PokedLoop {
  let stopped = false
  let poked = false
  let failures = 0
  let restsUntil = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined

  const rests = () => clock.monotonic() < restsUntil
  const run = async () => {
    while (poked && !stopped && !rests()) {
      poked = false
      try {
        while (!stopped && (await step())) {
          // each step does a part of what there is to do
        }
        if (failures > 0) log.info(`${name}: goes on`)
        failures = 0
      } catch (error) {
        if (failures === 0) log.warn({ err: error }, `${name}: held up, trying again every second`)
        // The first may be of a node that has not heard of a block yet.
        const restMs = failures === 0 ? 0 : REST_MS_FIRST * 2 ** (failures - 1)
        restsUntil = clock.monotonic() + Math.min(restMs, REST_MS_MAX)
        failures++
      }
    }
    running = undefined
  }

  return {
    poke: () => {
      poked = true
      if (!stopped && !rests()) running ??= run()
    },
    stop: async () => {
      stopped = true
      await running
    },
  }
}

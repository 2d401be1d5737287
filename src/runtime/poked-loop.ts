import type { Log } from '../telemetry/log.ts'

export interface PokedLoop {
  /** Runs soon, or once more after the run that is under way. */
  poke(): void
  /** Resolves when nothing is under way. */
  stop(): Promise<void>
}

/**
 * Runs `step` until it has nothing left to do, once more whenever poked, never twice at a time. What
 * fails is told once and tried again at the next poke.
 */
export function makePokedLoop(name: string, step: () => Promise<boolean>, log: Log): PokedLoop {
  let stopped = false
  let poked = false
  let failing = false
  let running: Promise<void> | undefined

  const run = async () => {
    while (poked && !stopped) {
      poked = false
      try {
        while (!stopped && (await step())) {
          // each step does a part of what there is to do
        }
        if (failing) log.info(`${name}: goes on`)
        failing = false
      } catch (error) {
        if (!failing) log.warn({ err: error }, `${name}: held up, trying again every second`)
        failing = true
      }
    }
    running = undefined
  }

  return {
    poke: () => {
      poked = true
      if (!stopped) running ??= run()
    },
    stop: async () => {
      stopped = true
      await running
    },
  }
}

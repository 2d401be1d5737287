import type { Bus } from '../../src/ports/bus.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { EscrowReader } from '../../src/ports/escrow.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import type { Registry } from '../../src/ports/registry.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { makeCursorStore } from './cursor.ts'
import { makeDeliveries } from './deliveries.ts'
import { makeFollower } from './follower.ts'

export interface WatcherOptions {
  readonly reader: EscrowReader
  readonly ledger: Ledger
  readonly bus: Bus
  /** Bucket CURSORS. */
  readonly registry: Registry
  readonly clock: Clock
  readonly log: Log
  /** Blocks after which a fact is final: 1 takes it as soon as it is included. */
  readonly confirmations: number
  readonly deployBlock: number
}

/** Turns the chain's logs into the ledger's balances and the jobs' facts. One host runs it. */
export interface ChainWatcher {
  start(): Promise<void>
  stop(): Promise<void>
}

/** Blocks are told of; this is for the one that was not. */
const SAFETY_POLL_MS = 1_000

export function makeChainWatcher(options: WatcherOptions): ChainWatcher {
  const { reader, bus, registry, clock, log } = options
  let stopAll: (() => Promise<void>) | undefined

  const start = async () => {
    const cursor = makeCursorStore({ registry, clock, log })
    const deliveries = makeDeliveries({ bus, clock, log })
    const follower = makeFollower({
      ...options,
      trail: await cursor.load(),
      deliver: deliveries.deliver,
      moved: cursor.save,
    })
    const loop = makeLoop(follower.step, log)
    const endings = [reader.onBlock(loop.poke), clock.every(SAFETY_POLL_MS, loop.poke)]
    stopAll = async () => {
      for (const end of endings) end()
      deliveries.stop()
      await loop.stop()
      await cursor.stop()
    }
    loop.poke()
  }

  return {
    start,
    stop: async () => {
      await stopAll?.()
      stopAll = undefined
    },
  }
}

/**
 * Runs `step` until it has nothing left to do, once more whenever poked, never twice at a time.
 * What fails is tried again at the next poke.
 */
function makeLoop(step: () => Promise<boolean>, log: Log) {
  let stopped = false
  let poked = false
  let failing = false
  let running: Promise<void> | undefined

  const run = async () => {
    while (poked && !stopped) {
      poked = false
      try {
        while (!stopped && (await step())) {
          // each step takes one range of blocks
        }
        if (failing) log.info('watcher: goes on')
        failing = false
      } catch (error) {
        if (!failing) log.warn({ err: error }, 'watcher: held up, trying again every second')
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

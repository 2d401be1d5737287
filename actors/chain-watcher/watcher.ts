import type { Bus } from '../../src/ports/bus.ts'
import { inTime } from '../../src/ports/clock.ts'
import type { EscrowReader } from '../../src/ports/escrow.ts'
import type { Registry } from '../../src/ports/registry.ts'
import { makePokedLoop } from '../../src/runtime/poked-loop.ts'
import { type CreditFactsOptions, makeCreditFacts } from './credit-facts.ts'
import { makeCursorStore } from './cursor.ts'
import { makeDeliveries } from './deliveries.ts'
import { makeFollower } from './follower.ts'
import { makeSlashes } from './slashes.ts'
import type { WatcherMetrics } from './watcher-metrics.ts'

export interface WatcherOptions extends CreditFactsOptions {
  readonly reader: EscrowReader
  readonly bus: Bus
  /** Bucket CURSORS. */
  readonly registry: Registry
  /** Blocks after which a fact is final: 1 takes it as soon as it is included. */
  readonly confirmations: number
  readonly deployBlock: number
  readonly metrics: WatcherMetrics
  /** While so much waits for jobs and webhooks to hear of it, no more blocks are taken. */
  readonly untakenMax?: number
}

/** Turns the chain's logs into balances of the ledger, and facts of jobs, wallets and workers. One host runs it. */
export interface ChainWatcher {
  start(): Promise<void>
  stop(): Promise<void>
}

/** Blocks are told of; this is for the one that was not. */
const SAFETY_POLL_MS = 1_000
const STOP_PATIENCE_MS = 2_000

export function makeChainWatcher(options: WatcherOptions): ChainWatcher {
  const { reader, bus, registry, clock, log } = options
  let stopAll: (() => Promise<void>) | undefined

  const start = async () => {
    const cursor = makeCursorStore({ registry, clock, log })
    const deliveries = makeDeliveries({ bus, clock, log })
    const creditFacts = makeCreditFacts(options)
    const slashes = makeSlashes(options)
    const follower = makeFollower({
      ...options,
      cursor: await cursor.load(),
      deliver: deliveries.deliver,
      tell: creditFacts.take,
      tellSlash: slashes.take,
      moved: cursor.save,
      kept: cursor.kept,
    })
    const loop = makePokedLoop({ name: 'watcher', step: follower.step, clock, log })
    const endings = [reader.onBlock(loop.poke), clock.every(SAFETY_POLL_MS, loop.poke)]
    stopAll = async () => {
      for (const end of endings) end()
      deliveries.stop()
      creditFacts.stop()
      slashes.stop()
      // Whatever else is to move between hosts waits for this. What is given up halfway is done again.
      await inTime(clock, STOP_PATIENCE_MS, loop.stop())
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

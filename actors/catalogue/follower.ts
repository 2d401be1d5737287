import { isDeepStrictEqual } from 'node:util'
import type { CatalogueRecord } from '../../src/messages/catalogue.ts'
import type { ModelReader } from '../../src/ports/catalogue.ts'
import { type Clock, inTime } from '../../src/ports/clock.ts'
import type { EscrowReader } from '../../src/ports/escrow.ts'
import type { Registry } from '../../src/ports/registry.ts'
import type { Log } from '../../src/telemetry/log.ts'

export interface FollowerOptions {
  readonly models: ModelReader
  readonly blocks: Pick<EscrowReader, 'onBlock'>
  /** Bucket MODELS, and the key there of the registry that is followed. */
  readonly registry: Registry
  readonly key: string
  readonly clock: Clock
  readonly log: Log
}

/** Keeps bucket MODELS as the registry on chain has it. One host runs it. */
export interface CatalogueFollower {
  start(): Promise<void>
  stop(): Promise<void>
}

/** Blocks may come many a second; the catalogue changes some times a year. */
const BETWEEN_READS_MS = 1_000
/** A reorg need not change the head's number, and another host may have written what is old. */
const SAFETY_READ_MS = 30_000
const STOP_PATIENCE_MS = 2_000

/**
 * The registry's state is read whole, not its events: nothing can be missed, and what a reorg took
 * back is gone at the next reading. A chain that is down leaves the last catalogue in force.
 */
export function makeCatalogueFollower(options: FollowerOptions): CatalogueFollower {
  const { blocks, clock, log } = options
  let endings: (() => void)[] = []
  let stopped = false
  let running: Promise<void> | undefined
  let waiting: (() => void) | undefined
  let again = false
  let failing = false

  const look = async () => {
    again = false
    try {
      if ((await copy(options)) === 'conflict') again = true
      if (failing) log.info('catalogue: goes on')
      failing = false
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'catalogue: not read, the last one stays in force')
      failing = true
      again = true
    }
  }
  const poke = () => {
    again = true
    if (running || waiting || stopped) return
    running = look().finally(() => {
      running = undefined
      if (stopped) return
      waiting = clock.after(BETWEEN_READS_MS, () => {
        waiting = undefined
        if (again) poke()
      })
    })
  }

  return {
    start: async () => {
      stopped = false
      endings = [blocks.onBlock(poke), clock.every(SAFETY_READ_MS, poke)]
      poke()
    },
    stop: async () => {
      stopped = true
      for (const end of endings) end()
      waiting?.()
      waiting = undefined
      // Whatever else is to move between hosts waits for this, and a node may be silent for long. What it says
      // after that does no harm: another host may have written by then, and that stands.
      if (running) await inTime(clock, STOP_PATIENCE_MS, running)
    },
  }
}

/**
 * @returns `conflict` when another host wrote in the meantime: what was read here may be the older
 * reading, so it is not written
 */
async function copy({ models, registry, key, log }: FollowerOptions) {
  const entry = await registry.get(key)
  const before = entry?.value as CatalogueRecord | undefined
  const record: CatalogueRecord = { models: await models.models() }
  if (before && isDeepStrictEqual(before, record)) return 'same'
  const written = await registry.put(key, record, entry?.revision ?? 0)
  if (written === 'conflict') return written
  log.info({ models: record.models.length }, 'catalogue: changed')
  return 'written'
}

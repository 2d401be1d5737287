import { toAddress } from '../../domain/ids.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Catalogue } from '../../ports/catalogue.ts'
import { type Clock, inTime } from '../../ports/clock.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { Log } from '../../telemetry/log.ts'
import { Seldom } from '../../telemetry/seldom.ts'
import type { Pools } from '../models/pools.ts'

export interface Readiness {
  /** What it needs and does not have, in words; empty: it can serve. */
  missing(): Promise<readonly string[]>
}

const ANSWER_WITHIN_MS = 1_000
// Nobody's wallet: any answer at all shows that the ledger answers.
const PROBE = toAddress(`0x${'0'.repeat(40)}`)

interface Options {
  readonly bus: Bus
  readonly catalogue: Catalogue
  readonly ledger: Ledger
  /** For who needs to know which models are served. */
  readonly pools?: Pick<Pools, 'heard'>
  readonly clock: Clock
  readonly log: Log
}

/** Something that a process cannot do without. */
export interface Need {
  /** In words. */
  readonly what: string
  /** Whether it is there now; a promise that is rejected, or late: no. */
  readonly isThere: () => boolean | Promise<unknown>
}

/** @returns what of it a process does not have at this moment */
export function missingOf(
  needs: readonly Need[],
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): () => Promise<readonly string[]> {
  // Of an edge anybody may ask it, as often as they like.
  const seldom = new Seldom(clock, log)
  const answers = async ({ what, isThere }: Need): Promise<boolean> => {
    try {
      const answer = Promise.resolve(isThere()).then((is) => is !== false)
      return (await inTime(clock, ANSWER_WITHIN_MS, answer)) === true
    } catch (error) {
      seldom.warn({ err: error, what }, 'not ready', what)
      return false
    }
  }
  return async () => {
    const there = await Promise.all(needs.map(answers))
    return needs.filter((_, i) => !there[i]).map(({ what }) => what)
  }
}

export const needsNats = (bus: Bus): Need => ({
  what: 'NATS',
  isThere: () => bus.connected && bus.flush(),
})

export function makeReadiness({ bus, catalogue, ledger, pools, clock, log }: Options): Readiness {
  const needs: readonly Need[] = [
    needsNats(bus),
    { what: 'Redis', isThere: () => ledger.balance(PROBE) },
    { what: 'the catalogue of models', isThere: () => catalogue.known },
    { what: 'the pools', isThere: () => !pools || pools.heard },
  ]
  return { missing: missingOf(needs, { clock, log }) }
}

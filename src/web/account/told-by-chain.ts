import { type Clock, inTime } from '../../ports/clock.ts'
import { ChainUnavailable } from '../../ports/escrow.ts'
import type { Log } from '../../telemetry/log.ts'

interface Options {
  readonly clock: Clock
  readonly log: Log
}

/** A node that is silent for so long counts as down; a page is told the rest. */
const PATIENCE_MS = 3_000

/** What the chain answers; null: it does not tell now. */
export async function toldByChain<T>(
  { clock, log }: Options,
  question: Promise<T>,
): Promise<T | null> {
  try {
    return (await inTime(clock, PATIENCE_MS, question)) ?? null
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    log.debug({ err: error }, 'account: the chain does not tell its part')
    return null
  }
}

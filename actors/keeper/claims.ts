import { type Credits, creditsToUnits } from '../../src/domain/credits.ts'
import type { Earner, Earnings, KeeperReader } from '../../src/ports/keeper.ts'
import type { Hands } from './hands.ts'
import { type Earning, REWIND_BLOCKS, type Watch, withEarner } from './state.ts'

interface Options {
  readonly reader: KeeperReader
  readonly hands: Hands
  /** Less is left to grow, for a day at most. */
  readonly minimum: Credits
}

export interface Moment {
  /** Unix seconds, by the chain. */
  readonly now: number
  /** Number of the newest block. */
  readonly head: number
}

const DAY_SECONDS = 24 * 60 * 60
/** Earnings come due once a window of disputes. */
const LOOK_AGAIN_MS = 10 * 60 * 1_000
/** Questions to the node in one turn. */
const LOOKS_MAX = 20

/**
 * Pays one earner what is due, or finds that nothing is worth its gas.
 * @returns what is left to watch, and whether something was paid
 */
export function makeClaims({ reader, hands, minimum }: Options) {
  return async (
    earners: readonly Earner[],
    watch: Watch,
    moment: Moment,
  ): Promise<{ readonly watch: Watch; readonly acted: boolean }> => {
    let left = watch
    let looks = 0
    for (const earner of earners) {
      const call = { type: 'claim', earner } as const
      const earning = watch.earners.get(earner)
      if (!earning || !hands.isReady(call)) continue
      const earnings = await reader.earningsOf(earner)
      if (isWorthClaiming(earnings, earning, { now: moment.now, minimum })) {
        const acted = (await hands.perform(call)) === 'done'
        if (acted) left = withEarner(left, earner, { ...earning, since: moment.now })
        return { watch: left, acted }
      }
      hands.rest(call, LOOK_AGAIN_MS)
      if (earnings.total === 0n && earning.block < moment.head - REWIND_BLOCKS) {
        left = withEarner(left, earner, undefined)
      }
      if (++looks === LOOKS_MAX) break
    }
    return { watch: left, acted: false }
  }
}

export function isWorthClaiming(
  { claimable }: Pick<Earnings, 'claimable'>,
  { since }: Pick<Earning, 'since'>,
  { now, minimum }: { readonly now: number; readonly minimum: Credits },
): boolean {
  if (claimable === 0n) return false
  return claimable >= creditsToUnits(minimum) || since + DAY_SECONDS <= now
}

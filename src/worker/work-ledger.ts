import { creditsToUnits } from '../domain/credits.ts'
import { LAUNCH_LINEUP } from '../domain/models.ts'
import { priceOf } from '../domain/pricing.ts'
import type { RunEnd } from './job-run.ts'
import { Pace } from './pace.ts'

const BASIS_POINTS = 10_000n
/** Without the minimum stake. */
const SHARE_BPS = 7_500

const tiers = new Map(LAUNCH_LINEUP.map(({ id, tier }) => [id, tier]))

/** What an agent has done since it started: its jobs, its pace, and what they should bring. */
export class WorkLedger {
  readonly paces = new Map<string, Pace>()
  jobsDone = 0
  jobsFailed = 0
  /** Payment-token units. */
  unitsEarned = 0n
  /** Of the charge, in basis points; as the chain says, where somebody reads it. */
  shareBps = SHARE_BPS

  /** @returns payment-token units that it should bring */
  add({ model, isCanary, outputTokens, measured }: RunEnd): bigint {
    if (measured) {
      const pace = this.paces.get(model) ?? new Pace()
      this.paces.set(model, pace)
      pace.add(measured, performance.now())
    }
    if (isCanary) return 0n
    if (outputTokens === undefined) {
      this.jobsFailed++
      return 0n
    }
    this.jobsDone++
    const tier = tiers.get(model)
    if (!tier) return 0n
    const charge = creditsToUnits(priceOf(tier, outputTokens))
    const units = (charge * BigInt(this.shareBps)) / BASIS_POINTS
    this.unitsEarned += units
    return units
  }
}

import { type Credits, maxCredits, toCredits } from './credits.ts'
import { TIER_PRICES, type Tier } from './tiers.ts'

/** The flat price covers completions up to and including this many output tokens. */
export const FLAT_OUTPUT_TOKENS = 500

/** Price in credits of `outputTokens` tokens; the part above the flat size rounds up. */
export function priceOf(tier: Tier, outputTokens: number): Credits {
  const { perRequest, per1kTokens } = TIER_PRICES[tier]
  const above = BigInt(Math.max(0, outputTokens - FLAT_OUTPUT_TOKENS))
  return toCredits(perRequest + (above * per1kTokens + 999n) / 1000n)
}

/** The most output tokens whose price is at most `credits`; 0 below the flat price. */
export function tokensCovered(tier: Tier, credits: Credits): number {
  const { perRequest, per1kTokens } = TIER_PRICES[tier]
  if (credits < perRequest) return 0
  return FLAT_OUTPUT_TOKENS + Number(((credits - perRequest) * 1000n) / per1kTokens)
}

export interface Estimate {
  /** Credits to lock. */
  readonly lock: Credits
  /** Where the worker must stop: no token is generated that the lock does not cover. */
  readonly outputTokensMax: number
}

/**
 * What to lock for a request.
 * @param maxTokens the caller's cap, if it gave one: then its price is locked in full
 * @param modelTokensMax the most the model can generate
 * @param balance credits the wallet could spend now: an open-ended request is cut down to it, but
 *   never below the flat price, so a small balance gives no surprise refusal; undefined: enough, as
 *   far as is known
 */
export function estimate(
  tier: Tier,
  maxTokens: number | undefined,
  modelTokensMax: number,
  balance: Credits | undefined,
): Estimate {
  if (maxTokens !== undefined) {
    return { lock: priceOf(tier, maxTokens), outputTokensMax: maxTokens }
  }
  const full = priceOf(tier, modelTokensMax)
  const isCovered = balance === undefined || full <= balance
  const lock = isCovered ? full : maxCredits(priceOf(tier, 0), balance)
  return { lock, outputTokensMax: Math.min(modelTokensMax, tokensCovered(tier, lock)) }
}

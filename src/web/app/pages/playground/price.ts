import { NO_CREDITS } from '../../../../domain/credits.ts'
import { estimate, FLAT_OUTPUT_TOKENS, priceOf } from '../../../../domain/pricing.ts'
import { TIERS } from '../../../../domain/tiers.ts'
import { credits, usdgOfCredits } from '../../parts/words.ts'

/** What sending will cost, as the service itself reckons, in a sentence. */
export function priceInWords(tierName: string, maxTokens: number): string {
  const tier = TIERS.find((each) => each === tierName)
  if (!tier) return `Its tier, ${tierName}, is new to this page: reload the page to see the price.`
  const least = Number(priceOf(tier, 0))
  // With a length that the caller gives, its price is locked whatever the balance is.
  const lock = Number(estimate(tier, maxTokens, maxTokens, NO_CREDITS).lock)
  if (lock === least) {
    return `Sending costs ${credits(lock)} (${usdgOfCredits(lock)}), locked until the answer is there.`
  }
  return (
    `Sending costs ${least.toLocaleString('en')} to ${credits(lock)} (at most ${usdgOfCredits(lock)}): ` +
    `${credits(lock)} are locked, and what an answer beyond ${FLAT_OUTPUT_TOKENS} tokens does not use comes back.`
  )
}

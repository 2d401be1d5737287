/** Pricing tiers, in the order in which the chain numbers them. */
export const TIERS = ['lite', 'standard', 'pro', 'max'] as const
export type Tier = (typeof TIERS)[number]

export interface TierPrice {
  /** Flat cost in credits of a completion of up to FLAT_OUTPUT_TOKENS. */
  readonly perRequest: bigint
  /** Credits per 1 000 output tokens above that. */
  readonly per1kTokens: bigint
}

/** Specification, "Pricing tiers". JobEscrow holds the same table; a test compares the two. */
export const TIER_PRICES: Readonly<Record<Tier, TierPrice>> = {
  lite: { perRequest: 2n, per1kTokens: 1n },
  standard: { perRequest: 8n, per1kTokens: 4n },
  pro: { perRequest: 18n, per1kTokens: 9n },
  max: { perRequest: 40n, per1kTokens: 20n },
}

export const tierNumber = (tier: Tier): number => TIERS.indexOf(tier)

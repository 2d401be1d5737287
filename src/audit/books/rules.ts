/** The auditor's own table and arithmetic, from the specification. */

export const UNITS_PER_CREDIT = 10_000n
const FLAT_TOKENS = 500n

/** By tier as the chain numbers them: flat price, price of 1 000 tokens above 500. Credits. */
const PRICES = [
  [2n, 1n],
  [8n, 4n],
  [18n, 9n],
  [40n, 20n],
] as const

/** @returns undefined for a tier that there is not */
export function price(tier: number, tokens: bigint): bigint | undefined {
  const row = PRICES[tier]
  if (!row) return undefined
  const [flat, perThousand] = row
  if (tokens <= FLAT_TOKENS) return flat
  const above = (tokens - FLAT_TOKENS) * perThousand
  const whole = above / 1000n
  return flat + (whole * 1000n === above ? whole : whole + 1n)
}

/** Where the two tables are compared: around the boundary, around a rounding, far away. */
export const PROBES = PRICES.flatMap((_, tier) =>
  [0, 1, 500, 501, 749, 750, 751, 1_500, 1_501, 128_000, 4_294_967_295].map((tokens) => ({
    tier,
    tokens,
  })),
)

/** A worker's part of a charge in token units: 85 % with a stake, else 75 %, rounded down. */
export const workerShare = (charged: bigint, staked: boolean): bigint =>
  (charged * UNITS_PER_CREDIT * (staked ? 85n : 75n)) / 100n

/**
 * Money. One credit is 0.01 USDG; USDG has 6 decimals, so one credit is 10 000 token units.
 * Both are whole numbers and never mix: JSON numbers appear only in the edge's serializers.
 */
declare const credits: unique symbol
declare const tokenUnits: unique symbol
export type Credits = bigint & { readonly [credits]: true }
export type TokenUnits = bigint & { readonly [tokenUnits]: true }

export const UNITS_PER_CREDIT = 10_000n

export const toCredits = (value: bigint | number | string): Credits => {
  const whole = BigInt(value)
  if (whole < 0n) throw new RangeError(`credits cannot be negative: ${whole}`)
  return whole as Credits
}
export const NO_CREDITS = 0n as Credits
export const minCredits = (a: Credits, b: Credits): Credits => (a < b ? a : b)
export const maxCredits = (a: Credits, b: Credits): Credits => (a > b ? a : b)

export const creditsToUnits = (value: Credits): TokenUnits =>
  (value * UNITS_PER_CREDIT) as TokenUnits

/** Payment-token units as a public decimal number: credits × 0.01. Exact up to 2^53 credits. */
export const usdgValue = (value: Credits): number => Number(value) / 100

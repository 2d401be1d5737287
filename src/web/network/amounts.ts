import type { TokenUnits } from '../../domain/credits.ts'

const USDG_UNITS = 1_000_000
/** Exact up to nine billion USDG. */
export const usdgOf = (units: TokenUnits): number => Number(units) / USDG_UNITS

const RCOMPUTE_DECIMALS = 18

/** Whole tokens as a decimal number in text, exact, without zeros at its end. */
export function wholeTokens(units: bigint): string {
  const digits = units.toString().padStart(RCOMPUTE_DECIMALS + 1, '0')
  const whole = digits.slice(0, -RCOMPUTE_DECIMALS)
  const rest = digits.slice(-RCOMPUTE_DECIMALS).replace(/0+$/, '')
  return rest === '' ? whole : `${whole}.${rest}`
}

import type { TokenUnits } from '../../domain/credits.ts'

const USDG_UNITS = 1_000_000
/** Exact up to nine billion USDG. */
export const usdgOf = (units: TokenUnits): number => Number(units) / USDG_UNITS

import { parseUnits } from 'viem'
import { plainNumber } from './typed-number.ts'

const DECIMALS = 18

/** Units of RCOMPUTE; undefined: no amount above 0, or one that is finer than a unit. */
export function unitsOfText(text: string): bigint | undefined {
  const plain = plainNumber(text)
  if (plain === undefined || (plain.split('.')[1] ?? '').length > DECIMALS) return undefined
  const units = parseUnits(plain, DECIMALS)
  return units > 0n ? units : undefined
}

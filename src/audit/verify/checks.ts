import type { At } from './facts.ts'

/** One thing that was looked at. */
export interface Check {
  readonly name: string
  /** Null: it cannot be told. */
  readonly holds: boolean | null
  readonly found: string
  readonly wanted: string
}

/** Hex is written in any case. */
export const alike = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

export function equal(
  name: string,
  found: string,
  wanted: string,
  { holds = alike(found, wanted), because = '' }: { holds?: boolean; because?: string } = {},
): Check {
  return { name, holds, found, wanted: because ? `${wanted}, ${because}` : wanted }
}

export const credits = (amount: bigint): string =>
  `${amount} ${amount === 1n ? 'credit' : 'credits'}`
export const place = ({ tx, block }: At): string => `${tx} (block ${block})`

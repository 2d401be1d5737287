import type { Addresses } from './constructors.ts'
import type { Reader } from './deployer.ts'
import type { LaterHolders, Settings } from './settings.ts'

/** What is looked at, and what was asked for. */
export interface Deployed {
  readonly reader: Reader
  readonly at: Addresses
  readonly settings: Settings
  /** Who was given a role on purpose since. */
  readonly later?: LaterHolders
  readonly chainId: number
  /** Nobody was given a role before this block. */
  readonly deployBlock: number
}

/** One thing that was compared. */
export interface Finding {
  /** `JobEscrow.TREASURY` */
  readonly what: string
  readonly asked: string
  readonly found: string
  readonly holds: boolean
}

export const compared = (what: string, asked: unknown, found: unknown): Finding => {
  const [a, b] = [asText(asked), asText(found)]
  return { what, asked: a, found: b, holds: a === b }
}

function asText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'nobody' : value.map(asText).join(', ')
  // Addresses are compared as such, however they are written.
  return /^0x[0-9a-fA-F]{40}$/.test(String(value)) ? String(value).toLowerCase() : String(value)
}

import type { Address } from 'viem'
import { addressFault } from '../../../domain/address-fault.ts'

/** What is wrong with an address that somebody has typed, as a sentence; null: nothing. */
export function wrongAddress(text: string): string | null {
  const fault = addressFault(text)
  return fault ? `The address ${fault}.` : null
}

/** As the library takes it: one in capitals is none to it. Undefined: what was typed is no address. */
export const typedAddress = (text: string): Address | undefined =>
  addressFault(text) ? undefined : (text.toLowerCase() as Address)

import { addressFault } from '../../../domain/address-fault.ts'

/** What is wrong with an address that somebody has typed, as a sentence; null: nothing. */
export function wrongAddress(text: string): string | null {
  const fault = addressFault(text)
  return fault ? `The address ${fault}.` : null
}

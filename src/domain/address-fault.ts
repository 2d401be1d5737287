import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * What is wrong with an address that a person has typed or copied, as the rest of a sentence; undefined:
 * nothing. What is paid to a mistyped one is lost, and letters of both sizes carry a checksum (ERC-55).
 */
export function addressFault(text: string): string | undefined {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return 'must be 0x and 40 hexadecimal digits'
  if (/^0x0{40}$/.test(text)) return 'must not be zero'
  const digits = text.slice(2)
  const isMixed = /[a-f]/.test(digits) && /[A-F]/.test(digits)
  return isMixed && digits !== checksummed(digits)
    ? 'has a wrong checksum: a digit or letter is off'
    : undefined
}

function checksummed(digits: string): string {
  const lower = digits.toLowerCase()
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)))
  return [...lower].map((each, at) => (hash[at]! >= '8' ? each.toUpperCase() : each)).join('')
}

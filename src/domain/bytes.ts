import { type Address, type Hex32, parseAddress, toHex32 } from './ids.ts'
import type { CompactSignature } from './proof.ts'

/** The house's hexadecimal values as the raw bytes that the worker protocol carries. */
export const toBytes = (hex: `0x${string}`): Buffer => Buffer.from(hex.slice(2), 'hex')

const toHex = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`

/** The address in 20 bytes, or undefined where there are more or fewer. */
export function addressFromBytes(bytes: Uint8Array): Address | undefined {
  const parsed = parseAddress(toHex(bytes))
  return parsed.ok ? parsed.value : undefined
}

/** The hash in 32 bytes, or undefined where there are more or fewer. */
export const hex32FromBytes = (bytes: Uint8Array): Hex32 | undefined =>
  bytes.length === 32 ? toHex32(toHex(bytes)) : undefined

/** `r` and `vs`, 64 bytes. */
export const signatureToBytes = ({ r, vs }: CompactSignature): Buffer =>
  Buffer.concat([toBytes(r), toBytes(vs)])

export function signatureFromBytes(bytes: Uint8Array): CompactSignature | undefined {
  const r = hex32FromBytes(bytes.subarray(0, 32))
  const vs = hex32FromBytes(bytes.subarray(32))
  return r && vs ? { r, vs } : undefined
}

import type { Hex } from '../../ports/escrow.ts'

/**
 * RLP, as far as a transaction needs it. On bytes from end to end: with a batch's 45 KB of calldata
 * that is three times as fast as a general encoder on hexadecimal text.
 */
export const rlpList = (items: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(items)
  return Buffer.concat([header(0xc0, body.length), body])
}

export const rlpBytes = (hex: Hex): Buffer => encode(Buffer.from(hex.slice(2), 'hex'))

/** A whole number: its bytes without leading zeros, none for zero. */
export function rlpNumber(value: bigint): Buffer {
  if (value === 0n) return encode(Buffer.alloc(0))
  const hex = value.toString(16)
  return encode(Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex'))
}

const encode = (bytes: Buffer): Buffer =>
  bytes.length === 1 && bytes[0]! < 0x80
    ? bytes
    : Buffer.concat([header(0x80, bytes.length), bytes])

/** Up to 55 bytes the length is in the first byte; above, that tells the length of the length. */
function header(offset: number, length: number): Buffer {
  if (length <= 55) return Buffer.from([offset + length])
  const hex = length.toString(16)
  const size = Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex')
  return Buffer.concat([Buffer.from([offset + 55 + size.length]), size])
}

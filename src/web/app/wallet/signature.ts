import {
  compactSignatureToSignature,
  type Hex,
  isHex,
  parseCompactSignature,
  parseSignature,
  serializeSignature,
} from 'viem'

const COMPACT_LENGTH = 2 + 2 * 64
const PLAIN_LENGTH = 2 + 2 * 65

/** What signed is a contract, on the chain already or to be: tokens take no such signatures. */
export class NoKeySignature extends Error {
  override readonly name = 'NoKeySignature'
}

/** The wallet said neither no nor what was asked for. */
export class NoSignature extends Error {
  override readonly name = 'NoSignature'
}

/**
 * In the form that every verifier reads: wallets also give `v` as 0 or 1, and r and s alone (EIP-2098).
 * What a contract signs with (ERC-1271, ERC-6492) stays as it is.
 * @throws NoSignature
 */
export function plainSignature(signature: Hex): Hex {
  // As a wallet answered: no type holds it to that.
  if (!isHex(signature)) throw new NoSignature('What the wallet answered is no signature.')
  if (signature.length === COMPACT_LENGTH) {
    return serializeSignature(compactSignatureToSignature(parseCompactSignature(signature)))
  }
  return isOfKey(signature) ? serializeSignature(parseSignature(signature)) : signature
}

/**
 * As contracts of tokens take them.
 * @throws NoSignature, NoKeySignature
 */
export function signatureParts(signature: Hex): { v: number; r: Hex; s: Hex } {
  const plain = plainSignature(signature)
  if (!isOfKey(plain)) throw new NoKeySignature('The signature is not of an account with a key.')
  const { r, s, yParity } = parseSignature(plain)
  return { v: 27 + yParity, r, s }
}

function isOfKey(signature: Hex): boolean {
  if (signature.length !== PLAIN_LENGTH) return false
  const v = Number(`0x${signature.slice(-2)}`)
  return v === 0 || v === 1 || v === 27 || v === 28
}

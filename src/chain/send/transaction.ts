import { toHex32 } from '../../domain/ids.ts'
import { keccak256 } from '../../domain/keccak.ts'
import { type CompactSignature, privateKeyAddress, sign } from '../../domain/proof.ts'
import type { Hex, SignedTransaction } from '../../ports/escrow.ts'
import type { TransactionSigner, UnsignedTransaction } from '../../ports/signer.ts'
import { rlpBytes, rlpList, rlpNumber } from './rlp.ts'

const TYPE = Buffer.from([0x02])
const NO_VALUE = rlpNumber(0n)
const NO_ACCESS_LIST = rlpList([])

/** An EIP-1559 transaction in bytes: what is signed, and what the signature makes of it. */
export interface EncodedTransaction {
  /** Over this goes the signature. */
  readonly digest: Uint8Array
  withSignature(signature: CompactSignature): SignedTransaction
}

export function encodeTransaction(transaction: UnsignedTransaction): EncodedTransaction {
  const { chainId, nonce, to, data, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction
  const fields = [
    rlpNumber(BigInt(chainId)),
    rlpNumber(BigInt(nonce)),
    rlpNumber(maxPriorityFeePerGas),
    rlpNumber(maxFeePerGas),
    rlpNumber(gas),
    rlpBytes(to),
    NO_VALUE,
    rlpBytes(data),
    NO_ACCESS_LIST,
  ]
  return {
    digest: keccak256(Buffer.concat([TYPE, rlpList(fields)])),
    withSignature: ({ r, vs }) => {
      const signed = Buffer.concat([TYPE, rlpList([...fields, ...signatureFields(r, vs)])])
      const hash = toHex32(`0x${Buffer.from(keccak256(signed)).toString('hex')}`)
      return { hash, raw: `0x${signed.toString('hex')}`, nonce }
    },
  }
}

/** The top bit of `vs` is the parity, the rest is `s` (EIP-2098). */
function signatureFields(r: Hex, vs: Hex): Buffer[] {
  const whole = BigInt(vs)
  const s = BigInt.asUintN(255, whole)
  return [whole >> 255n, BigInt(r), s].map(rlpNumber)
}

/** The other way round. */
export function compactSignature(r: Hex, s: Hex, yParity: number): CompactSignature {
  const word = (value: bigint) => toHex32(`0x${value.toString(16).padStart(64, '0')}`)
  return { r: word(BigInt(r)), vs: word((BigInt(yParity) << 255n) | BigInt(s)) }
}

/** A signer whose key is in this process. */
export function makeLocalSigner(privateKey: Hex): TransactionSigner {
  const key = Buffer.from(privateKey.slice(2), 'hex')
  return {
    address: privateKeyAddress(key),
    sign: async (transaction) => signWith(key, transaction),
  }
}

function signWith(key: Uint8Array, transaction: UnsignedTransaction): SignedTransaction {
  const encoded = encodeTransaction(transaction)
  return encoded.withSignature(sign(encoded.digest, key))
}

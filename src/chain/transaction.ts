import { keccak_256 } from '@noble/hashes/sha3.js'
import { type Address, toHex32 } from '../domain/ids.ts'
import { privateKeyAddress, sign } from '../domain/proof.ts'
import type { Hex, SignedTransaction } from '../ports/escrow.ts'
import type { Call } from './calldata.ts'
import type { Fees } from './fees.ts'
import { rlpBytes, rlpList, rlpNumber } from './rlp.ts'

/** Signs EIP-1559 transactions with one key. */
export interface Signer {
  readonly address: Address
  sign(nonce: number, call: Call, fees: Fees): SignedTransaction
}

const TYPE = Buffer.from([0x02])
const NO_VALUE = rlpNumber(0n)
const NO_ACCESS_LIST = rlpList([])

export function makeSigner(chainId: number, privateKey: Hex): Signer {
  const key = Buffer.from(privateKey.slice(2), 'hex')
  return {
    address: privateKeyAddress(key),
    sign: (nonce, { to, data, gas }, { maxFeePerGas, maxPriorityFeePerGas }) => {
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
      const unsigned = Buffer.concat([TYPE, rlpList(fields)])
      const { r, vs } = sign(keccak_256(unsigned), key)
      const signed = Buffer.concat([TYPE, rlpList([...fields, ...signatureFields(r, vs)])])
      const hash = toHex32(`0x${Buffer.from(keccak_256(signed)).toString('hex')}`)
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

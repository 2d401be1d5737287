import secp256k1 from 'secp256k1'
import { type Address, type Hex32, type JobId, jobIdToBytes32, toAddress } from './ids.ts'
import { keccak256 } from './keccak.ts'

/**
 * The proof of completion: an EIP-712 signature by the worker's key over
 * `Completion(bytes32 jobId, bytes32 outputHash, uint32 outputTokens, uint40 completedAt)`.
 * The pool checks it here, JobEscrow checks the same bytes on chain. Written out by hand on a
 * native curve: twenty times faster than a general EIP-712 encoder, and this is the hot path.
 */
export interface Completion {
  readonly jobId: JobId
  readonly outputHash: Hex32
  readonly outputTokens: number
  /** Unix seconds. */
  readonly completedAt: number
}

const isUint = (value: number, bits: number): boolean =>
  Number.isInteger(value) && value >= 0 && value < 2 ** bits

/**
 * Whether the contract's own types hold these figures. Others can be signed all the same, and what was
 * signed of them proves nothing on chain.
 */
export const isReadableOnChain = ({
  outputTokens,
  completedAt,
}: Pick<Completion, 'outputTokens' | 'completedAt'>): boolean =>
  isUint(outputTokens, 32) && isUint(completedAt, 40)

/** A signature in EIP-2098 form: `vs` carries the recovery bit in its top bit. */
export interface CompactSignature {
  readonly r: Hex32
  readonly vs: Hex32
}

const keccakOf = (text: string): Uint8Array => keccak256(Buffer.from(text, 'utf8'))
const hexBytes = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex')
const word = (hex: string): Buffer => hexBytes(`0x${hex.slice(2).padStart(64, '0')}`)
const uintWord = (value: number | bigint): Buffer => word(`0x${BigInt(value).toString(16)}`)

const DOMAIN_TYPE = keccakOf(
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
)
const COMPLETION_TYPE = keccakOf(
  'Completion(bytes32 jobId,bytes32 outputHash,uint32 outputTokens,uint40 completedAt)',
)
const REGISTRATION_TYPE = keccakOf('Registration(address signer,address payee)')
const WITHDRAWAL_TYPE = keccakOf(
  'Withdrawal(address wallet,address to,uint64 credits,uint256 nonce,uint256 deadline)',
)
const CHALLENGE_TYPE = keccakOf('Challenge(bytes32 nonce)')

/** Where a signature is good: one contract on one chain. */
export interface SigningDomain {
  readonly name: 'JobEscrow' | 'WorkerStaking'
  readonly chainId: number
  readonly contract: Address
}

export function domainSeparator(domain: SigningDomain): Uint8Array {
  return keccak256(
    Buffer.concat([
      DOMAIN_TYPE,
      keccakOf(domain.name),
      keccakOf('1'),
      uintWord(domain.chainId),
      word(domain.contract),
    ]),
  )
}

const digest = (separator: Uint8Array, ...struct: Uint8Array[]): Uint8Array =>
  keccak256(Buffer.concat([Buffer.from([0x19, 0x01]), separator, keccak256(Buffer.concat(struct))]))

export const completionDigest = (separator: Uint8Array, c: Completion): Uint8Array =>
  digest(
    separator,
    COMPLETION_TYPE,
    hexBytes(jobIdToBytes32(c.jobId)),
    hexBytes(c.outputHash),
    uintWord(c.outputTokens),
    uintWord(c.completedAt),
  )

/** What a worker signs to register: anyone may then send it to WorkerStaking on its behalf. */
export const registrationDigest = (
  separator: Uint8Array,
  signer: Address,
  payee: Address,
): Uint8Array => digest(separator, REGISTRATION_TYPE, word(signer), word(payee))

/** A voucher: with it a wallet takes credits out at once. */
export interface Withdrawal {
  readonly wallet: Address
  readonly to: Address
  readonly credits: bigint
  /** Of the wallet's vouchers on chain: of several with the same one, one can be used. */
  readonly nonce: bigint
  /** Unix seconds, by the chain's time. */
  readonly deadline: number
}

/** What the operator signs, and a wallet that has another send its withdrawal. */
export const withdrawalDigest = (separator: Uint8Array, w: Withdrawal): Uint8Array =>
  digest(
    separator,
    WITHDRAWAL_TYPE,
    word(w.wallet),
    word(w.to),
    uintWord(w.credits),
    uintWord(w.nonce),
    uintWord(w.deadline),
  )

/** What a worker signs to prove its key to a pool. `nonce` is 32 bytes, used once. */
export const challengeDigest = (separator: Uint8Array, nonce: Uint8Array): Uint8Array =>
  digest(separator, CHALLENGE_TYPE, nonce)

export function sign(hash: Uint8Array, privateKey: Uint8Array): CompactSignature {
  const { signature, recid } = secp256k1.ecdsaSign(hash, privateKey)
  const vs = Buffer.from(signature.subarray(32))
  if (recid === 1) vs[0]! |= 0x80
  return {
    r: `0x${Buffer.from(signature.subarray(0, 32)).toString('hex')}` as Hex32,
    vs: `0x${vs.toString('hex')}` as Hex32,
  }
}

/** The address whose key signed `hash`, or undefined where the signature is no signature. */
export function recover(hash: Uint8Array, { r, vs }: CompactSignature): Address | undefined {
  const bytes = Buffer.concat([hexBytes(r), hexBytes(vs)])
  if (bytes.length !== 64) return undefined
  const recid = bytes[32]! >> 7
  bytes[32]! &= 0x7f
  try {
    return publicKeyAddress(secp256k1.ecdsaRecover(bytes, recid, hash, false))
  } catch {
    return undefined // the curve refuses values out of its range by throwing
  }
}

export const privateKeyAddress = (privateKey: Uint8Array): Address =>
  publicKeyAddress(secp256k1.publicKeyCreate(privateKey, false))

const publicKeyAddress = (uncompressed: Uint8Array): Address =>
  toAddress(`0x${Buffer.from(keccak256(uncompressed.subarray(1)).subarray(12)).toString('hex')}`)

/** The 65-byte form (r, s, v) that contracts taking `bytes signature` expect. */
export function expandSignature({ r, vs }: CompactSignature): `0x${string}` {
  const bytes = hexBytes(vs)
  const v = 27 + (bytes[0]! >> 7)
  bytes[0]! &= 0x7f
  return `0x${r.slice(2)}${bytes.toString('hex')}${v.toString(16)}`
}

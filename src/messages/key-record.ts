import { keyProof, keyProofHash } from '../domain/hash.ts'
import { type Address, toAddress } from '../domain/ids.ts'
import { toUnixMs, type UnixMs } from '../domain/time.ts'

/** What is kept of an API key: bucket KEYS, under the key's hash. */
export interface KeyRecord {
  readonly wallet: Address
  readonly createdAt: UnixMs
  readonly status: 'active' | 'suspended'
  /** `keyProofHash` of the key's proof. Left out: made by a version that knew no proofs, and needs none. */
  readonly proofHash?: string
}

interface NewKey {
  readonly wallet: Address
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly status?: KeyRecord['status']
}

/** The record of a new key. */
export const keyRecord = (
  key: string,
  { wallet, createdAt, status = 'active' }: NewKey,
): KeyRecord => ({
  wallet,
  createdAt: toUnixMs(createdAt),
  status,
  proofHash: keyProofHash(keyProof(key)),
})

/** @throws where the record is none: somebody else wrote into the bucket */
export function parseKeyRecord(value: unknown): KeyRecord {
  const { wallet, createdAt, status, proofHash } = (value ?? {}) as Record<string, unknown>
  const isKey = typeof wallet === 'string' && (status === 'active' || status === 'suspended')
  // A proof that cannot be read must not pass for one that is not needed.
  const hasNoProof = proofHash === undefined
  if (!isKey || !isMoment(createdAt) || !(hasNoProof || typeof proofHash === 'string'))
    throw new Error('the bucket KEYS holds something that is no key')
  return {
    wallet: toAddress(wallet),
    createdAt: toUnixMs(Number(createdAt)),
    status,
    ...(hasNoProof ? {} : { proofHash }),
  }
}

/**
 * Our codec writes a moment as a double. An operator who suspends a key writes its record anew with a
 * tool of their own (docs/operating/web.md), and what MessagePack has as a 64-bit integer we read as a
 * bigint.
 */
const isMoment = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || Number.isFinite(value)

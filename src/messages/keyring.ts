/** Which key of a wallet is the one it may have: bucket KEYRINGS, under the wallet's address. */
export interface KeyringRecord {
  /** Under which the key itself is in the bucket KEYS. Null: revoked, or never made. */
  readonly hash: string | null
  /** First and last characters of the key, for people to tell it by. */
  readonly hint: string
}

export const keyHint = (key: string): string =>
  `${key.slice(0, secretAt(key) + 4)}…${key.slice(-4)}`

/** What comes before says only whose service the key is for. */
const secretAt = (key: string): number => key.lastIndexOf('_') + 1

const HASH = /^[0-9a-f]{64}$/

/** @throws where the record is none: somebody else wrote into the bucket */
export function parseKeyring(value: unknown): KeyringRecord {
  const { hash, hint } = (value ?? {}) as Partial<Record<keyof KeyringRecord, unknown>>
  if (typeof hint !== 'string' || (hash !== null && !(typeof hash === 'string' && HASH.test(hash))))
    throw new Error('the bucket KEYRINGS holds something that is no keyring')
  return { hash, hint }
}

import type { Address } from '../domain/ids.ts'

/** Request on `SUBJECTS.accountLoad`: read this wallet from the chain into the ledger. */
export interface LoadAccount {
  readonly wallet: Address
}
export type LoadAccountReply =
  | { readonly type: 'loaded' }
  | { readonly type: 'unavailable'; readonly reason: string }

/** What is kept of an API key, under its hash. */
export interface KeyRecord {
  readonly wallet: Address
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly status: 'active' | 'suspended'
}

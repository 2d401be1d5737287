import type { Address, Hex32 } from '../../../src/domain/ids.ts'
import type { Call } from './calls.ts'
import type { ContractState } from './contract-state.ts'
import type { Spent } from './gas.ts'
import type { Log } from './scene.ts'

/** A transaction as it lies in the pool. */
export interface Transaction {
  readonly hash: Hex32
  readonly sender: Address
  /** Undefined: of somebody whose nonces nobody here looks at. */
  readonly nonce: number | undefined
  readonly maxFeeWei: bigint
  /** The most that it may use; undefined: as much as it needs. */
  readonly gas?: bigint
  readonly call: Call
}

export interface Included {
  readonly transaction: Transaction
  /** The contract's error; undefined: it succeeded. */
  readonly error: string | undefined
  readonly logs: readonly PlacedLog[]
}
export type PlacedLog = Log & { readonly logIndex: number }

export interface SimBlock {
  readonly number: number
  readonly hash: Hex32
  readonly parentHash: Hex32
  /** Unix seconds. */
  readonly at: number
  readonly baseFeeWei: bigint
  readonly included: readonly Included[]
  /** After it. */
  readonly state: ContractState
  readonly nonces: ReadonlyMap<Address, number>
  readonly spent: Spent
}

interface Terms {
  readonly nonces: Map<Address, number>
  readonly baseFeeWei: bigint
  isPaid(transaction: Transaction): boolean
}

/** What one block takes: each sender's in the order of their nonces, at most one for each. */
export function* inOrder(
  ready: readonly Transaction[],
  { nonces, baseFeeWei, isPaid }: Terms,
): Generator<Transaction> {
  let left = ready.filter(({ maxFeeWei }) => maxFeeWei >= baseFeeWei)
  const isNext = (each: Transaction) =>
    each.nonce === undefined || (each.nonce === (nonces.get(each.sender) ?? 0) && isPaid(each))
  for (;;) {
    const next = left.find(isNext)
    if (!next) return
    if (next.nonce !== undefined) nonces.set(next.sender, next.nonce + 1)
    left = left.filter((each) => each !== next)
    yield next
  }
}

/** What its sender must hold for it. */
export const mostOf = ({ gas = 0n, maxFeeWei }: Pick<Transaction, 'gas' | 'maxFeeWei'>): bigint =>
  gas * maxFeeWei

/** Whether a pool may forget it. */
export const isDone = (
  { hash, sender, nonce }: Transaction,
  included: readonly Included[],
  nonces: ReadonlyMap<Address, number>,
): boolean =>
  nonce === undefined
    ? included.some(({ transaction }) => transaction.hash === hash)
    : nonce < (nonces.get(sender) ?? 0)

import type { Address } from '../../../src/domain/ids.ts'
import type { Call } from './calls.ts'

/** What each sender has paid for gas, up to and with a block. */
export type Spent = ReadonlyMap<Address, bigint>

const FIXED = 21_000
/** Of one item, or of the whole call where it has none: well below what senders allow for. */
const ITEM: Partial<Record<Call['type'], number>> = {
  lockBatch: 50_000,
  settleBatch: 75_000,
  refundBatch: 40_000,
  disputeBatch: 32_000,
  register: 100_000,
}
const OTHER = 60_000

/** @param times of what an item costs usually */
export function gasUsed(call: Call, times: number): bigint {
  const items = 'items' in call ? call.items.length : 'jobIds' in call ? call.jobIds.length : 1
  return BigInt(Math.ceil(FIXED + (ITEM[call.type] ?? OTHER) * items * times))
}

/** Whose coin may come to an end: those that nobody has counted have always enough. */
export class Purses {
  /** All that ever came in. */
  readonly #filled = new Map<Address, bigint>()

  /** From now on it holds so much; undefined: enough for anything. */
  hold(owner: Address, wei: bigint | undefined, spent: Spent): void {
    if (wei === undefined) this.#filled.delete(owner)
    else this.#filled.set(owner, wei + (spent.get(owner) ?? 0n))
  }

  /** After a block; undefined: enough for anything. */
  left(owner: Address, spent: Spent): bigint | undefined {
    const filled = this.#filled.get(owner)
    if (filled === undefined) return undefined
    const left = filled - (spent.get(owner) ?? 0n)
    return left > 0n ? left : 0n
  }

  canPay(owner: Address, wei: bigint, spent: Spent): boolean {
    const left = this.left(owner, spent)
    return left === undefined || left >= wei
  }
}

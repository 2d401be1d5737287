import { RpcError } from '../../../src/chain/rpc/json-rpc.ts'
import type { Random, World } from '../world.ts'
import type { SimBlock } from './blocks.ts'

export interface TroubleTerms {
  /** Of several nodes behind the address so many, from 0 to 1, are so many blocks behind, and have not heard of reorgs. */
  readonly behind?: { readonly share: number; readonly blocks: number }
  /** Receipts are to be had so long after their block; and of the others so many are not there when asked for. */
  readonly receipts?: { readonly lateSeconds: number; readonly missing: number }
  /** So many questions are refused in words of the node's own. */
  readonly refused?: number
}

/** A chain that goes on. */
interface Growing {
  readonly blocks: readonly SimBlock[]
  onBlock(call: () => void): void
}

/** What nodes do in few lives, by a chance of its own: until the world heals. */
export class NodeTroubles {
  readonly #world: World
  readonly #random: Random
  readonly #terms: TroubleTerms
  /** The chain as it was at its last changes, the oldest first. */
  readonly #former: (readonly SimBlock[])[] = []

  constructor(world: World, chain: Growing, random: Random, terms: TroubleTerms) {
    this.#world = world
    this.#random = random
    this.#terms = terms
    const { behind } = terms
    if (!behind) return
    chain.onBlock(() => {
      this.#former.push([...chain.blocks])
      if (this.#former.length > behind.blocks + 1) this.#former.shift()
    })
  }

  /** What the node that is asked now takes for the chain; undefined: what it is. */
  former(): readonly SimBlock[] | undefined {
    const { behind } = this.#terms
    return behind && this.#happens(behind.share) ? this.#former[0] : undefined
  }

  hidesReceipts({ at }: SimBlock): boolean {
    const { receipts } = this.#terms
    if (!receipts || this.#world.faults.healing) return false
    return at + receipts.lateSeconds > this.#world.now() / 1_000 || this.#happens(receipts.missing)
  }

  mayRefuse(method: string): void {
    if (this.#happens((this.#terms.refused ?? 0) / 2)) {
      throw new RpcError(method, -32603, 'Internal error')
    }
  }

  #happens(share: number): boolean {
    return !this.#world.faults.healing && this.#random.chance(share)
  }
}

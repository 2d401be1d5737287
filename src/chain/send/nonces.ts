import { setTimeout as sleep } from 'node:timers/promises'
import { LAG_MAX_MS } from '../../domain/block-trail.ts'
import type { Address } from '../../domain/ids.ts'
import type { Hex } from '../../ports/escrow.ts'
import type { Rpc } from '../rpc/json-rpc.ts'

/** The nonces of one address that blocks have taken: all below the next one. */
export interface Nonces {
  /**
   * Of several nodes behind one address one may lag. One that tells of less than is known here is asked again
   * for a while, and then believed: the chain has gone back. @throws {ChainUnavailable}
   */
  next(): Promise<number>
  /** What a node tells at this moment, without waiting. @throws {ChainUnavailable} */
  told(): Promise<number>
  /** A block has taken it. */
  spent(nonce: number): void
}

const ASK_AGAIN_MS = 100

export function makeNonces(rpc: Rpc, address: Address): Nonces {
  let known = 0
  const ask = async () =>
    Number(await rpc.call<Hex>('eth_getTransactionCount', [address, 'latest']))
  const atLeast = (next: number) => {
    known = Math.max(known, next)
  }
  return {
    next: async () => {
      const endsAt = performance.now() + LAG_MAX_MS
      for (;;) {
        const told = await ask()
        if (told >= known || performance.now() >= endsAt) {
          known = told
          return told
        }
        await sleep(ASK_AGAIN_MS)
      }
    },
    told: async () => {
      const told = await ask()
      atLeast(told)
      return told
    },
    spent: (nonce) => atLeast(nonce + 1),
  }
}

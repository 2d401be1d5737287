import type { Address } from '../../domain/ids.ts'
import type { WalletReader } from '../../ports/web-chain.ts'

/** Tokens that arrived at the deposit addresses of wallets whose pages are open. */
export interface Arrivals {
  /** From the head of this moment on, unless it was begun before. */
  begin(): Promise<void>
  /** @returns those of `wallets` at which something has arrived since the last look */
  look(wallets: Iterable<Address>): Promise<readonly Address[]>
  /** Nobody looks for a while. */
  forget(): void
}

export function makeArrivals(
  reader: Pick<WalletReader, 'head' | 'arrivals' | 'depositAddress'>,
): Arrivals {
  let upTo: number | undefined
  return {
    begin: async () => {
      upTo ??= await reader.head()
    },
    look: async (wallets) => {
      const head = await reader.head()
      // A chain that went back, or nobody looked for a while: what lies before is read by the pages.
      const from = upTo === undefined || upTo > head ? head : upTo + 1
      if (from > head) return []
      const byAddress = new Map([...wallets].map((each) => [reader.depositAddress(each), each]))
      const arrived = await reader.arrivals(from, head, new Set(byAddress.keys()))
      // Only now: what could not be read is looked at again.
      upTo = head
      return arrived.map((address) => byAddress.get(address)!)
    },
    forget: () => {
      upTo = undefined
    },
  }
}

import { type Address, parseAddress } from '../../src/domain/ids.ts'
import type { Registry } from '../../src/ports/registry.ts'

interface Options {
  /** Bucket KEYS: whoever has an API key may be paid for. */
  readonly keys: Registry
  /** Bucket WALLETS: whoever was told a deposit address. */
  readonly wallets: Registry
}

/** All wallets whose deposit addresses are watched; one that was added once stays. */
export interface WatchedWallets {
  /** Calls for each wallet that is known now or later, perhaps more than once. */
  start(known: (wallet: Address) => void): Promise<void>
  /** Resolves once the wallet will be watched after any crash. */
  add(wallet: Address): Promise<void>
  stop(): void
}

export function makeWatchedWallets({ keys, wallets }: Options): WatchedWallets {
  const endings: (() => void)[] = []
  return {
    start: async (known) => {
      const inform = (text: unknown) => {
        const wallet = parseAddress(String(text))
        if (wallet.ok) known(wallet.value)
      }
      // One after the other: where the second fails, `stop` ends the first.
      endings.push(
        await keys.watch('>', (_hash, entry) => {
          if (entry) inform((entry.value as { readonly wallet?: unknown } | null)?.wallet)
        }),
      )
      endings.push(
        await wallets.watch('>', (wallet, entry) => {
          if (entry) inform(wallet)
        }),
      )
    },
    // The key says it all.
    add: (wallet) => wallets.set(wallet, {}),
    stop: () => {
      for (const end of endings.splice(0)) end()
    },
  }
}

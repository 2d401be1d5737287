import { type Chain, defineChain } from 'viem'
import { type Config, createConfig, createStorage, http, injected } from 'wagmi'
import type { WebConfig } from '../../api.ts'
import { keptByBrowser } from '../session/kept.ts'

/** The connector of a wallet that is there, and does not announce itself. */
export const UNANNOUNCED = 'injected'

/** How the development wallet calls itself. */
export const DEVELOPMENT_RDNS = 'development.wallet.svc'

const POLL_MS = 1_000

export function chainOf({ chain, explorer_url }: WebConfig): Chain {
  return defineChain({
    id: chain.id,
    name: chain.name,
    nativeCurrency: chain.coin,
    rpcUrls: { default: { http: [chain.rpc_url] } },
    blockExplorers: { default: { name: 'Explorer', url: explorer_url } },
  })
}

/**
 * Wallets announce themselves (EIP-6963). A connector for WalletConnect is a package of its own that
 * this app does not carry: who wants it adds it here, with `walletconnect_project_id` of the config.
 */
export function makeWagmiConfig(web: WebConfig): Config {
  const chain = chainOf(web)
  return createConfig({
    chains: [chain],
    // For wallets that do not announce themselves: `WalletList` shows it where none does.
    connectors: [injected()],
    transports: { [chain.id]: http(web.chain.rpc_url) },
    pollingInterval: POLL_MS,
    // Its own fails where the browser keeps nothing.
    storage: createStorage({ storage: keptByBrowser }),
  })
}

import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, use } from 'react'
import { type Config, WagmiContext } from 'wagmi'
import type { WebConfig } from '../../api.ts'
import { configQuery } from '../api/queries.ts'
import { Loaded, Waiting } from '../parts/loaded.tsx'
import { keepLooking } from './late-wallet.ts'
import { makeWagmiConfig } from './wagmi.ts'

/** Only what talks to a wallet stands in here, so that other pages load without it. */
export function WalletProvider({ children }: { readonly children: (web: WebConfig) => ReactNode }) {
  const query = useQuery(configQuery)
  return (
    <Loaded query={query}>
      {(web) => (
        <Suspense fallback={<Waiting lines={2} />}>
          <Wagmi web={web}>{children(web)}</Wagmi>
        </Suspense>
      )}
    </Loaded>
  )
}

// Not wagmi's own provider: that looks for earlier connections anew each time it is rendered, and what
// stands in it is gone meanwhile, with what it had said.
function Wagmi({ web, children }: { readonly web: WebConfig; readonly children: ReactNode }) {
  return <WagmiContext value={use(wagmiOf(web))}>{children}</WagmiContext>
}

/** One for the life of the page: connections outlive the places that use them. */
let wagmi: Promise<Config> | undefined

function wagmiOf(web: WebConfig): Promise<Config> {
  wagmi ??= prepare(web)
  return wagmi
}

async function prepare(web: WebConfig): Promise<Config> {
  if (web.development) {
    // Before the connections of an earlier visit are looked for.
    const { announceDevelopmentWallet } = await import('./development.ts')
    announceDevelopmentWallet(web)
  }
  const config = makeWagmiConfig(web)
  // Nobody waits for a wallet that is locked: until it answers it is said to be looked for.
  keepLooking(config)
  return config
}

import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Address } from 'viem'
import type { WebConfig } from '../../api.ts'
import { short } from '../parts/words.ts'
import { WalletProvider } from './provider.tsx'
import { WalletGate } from './wallet-gate.tsx'

type Content = (wallet: Address, web: WebConfig) => ReactNode

/** For what any wallet may do on chain, whether somebody is signed in or not. */
export function AnyWallet({ children }: { readonly children: Content }) {
  return <WalletProvider>{(web) => <Acting web={web}>{children}</Acting>}</WalletProvider>
}

function Acting({ web, children }: { readonly web: WebConfig; readonly children: Content }) {
  return (
    <WalletGate
      web={web}
      invitation="Connect a wallet to act here. That costs nothing and sends nothing."
    >
      {(wallet) => (
        <Stack>
          <Text size="sm" className="muted">
            You act with the wallet{' '}
            <span className="mono" title={wallet}>
              {short(wallet)}
            </span>
            .
          </Text>
          {children(wallet, web)}
        </Stack>
      )}
    </WalletGate>
  )
}

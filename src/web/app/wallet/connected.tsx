import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import type { WebConfig } from '../../api.ts'
import { short } from '../parts/words.ts'
import { WalletGate } from './wallet-gate.tsx'

/** Shows its children once the wallet of the session is connected, on the right chain. */
export function Connected({
  wallet,
  web,
  children,
}: {
  readonly wallet: string
  readonly web: WebConfig
  readonly children: ReactNode
}) {
  return (
    <WalletGate
      web={web}
      wallet={wallet}
      invitation={
        <>
          Connect the wallet you signed in with, <span className="mono">{short(wallet)}</span>, to
          continue.
        </>
      }
      objection={(account) =>
        account !== wallet.toLowerCase() && (
          <Alert color="yellow" title="Your wallet shows another account">
            You are signed in as {short(wallet)}, and your wallet is on {short(account)}. Choose{' '}
            {short(wallet)} in the wallet, or sign out and sign in with the other account.
          </Alert>
        )
      }
    >
      {() => children}
    </WalletGate>
  )
}

import { Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { WebSession } from '../../../api.ts'
import { configQuery } from '../../api/queries.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { credits, usdgOfCredits } from '../../parts/words.ts'
import { Private } from '../../session/private.tsx'
import { Connected } from '../../wallet/connected.tsx'
import { WalletProvider } from '../../wallet/provider.tsx'
import { WithTransfer } from './with-transfer.tsx'
import { WithWallet } from './with-wallet.tsx'

export function BuyPage() {
  return <Private title="Buy credits">{(session) => <Buy session={session} />}</Private>
}

function Buy({ session }: { readonly session: WebSession }) {
  const config = useQuery(configQuery)
  return (
    <Page
      title="Buy credits"
      lead="1 credit costs 0.01 USDG. There is no fee, credits never expire, and what you do not spend you can withdraw."
    >
      <Loaded query={config}>
        {(web) => (
          <Tabs defaultValue="wallet" keepMounted={false}>
            <Tabs.List mb="lg">
              <Tabs.Tab value="wallet">This wallet</Tabs.Tab>
              <Tabs.Tab value="transfer">QR or transfer</Tabs.Tab>
            </Tabs.List>
            <p className="muted" style={{ marginTop: 0 }}>
              The smallest purchase is {credits(web.minimum_purchase_credits)} (
              {usdgOfCredits(web.minimum_purchase_credits)}).
            </p>
            <Tabs.Panel value="wallet">
              <WalletProvider>
                {() => (
                  <Connected wallet={session.wallet} web={web}>
                    <WithWallet wallet={session.wallet} web={web} />
                  </Connected>
                )}
              </WalletProvider>
            </Tabs.Panel>
            <Tabs.Panel value="transfer">
              <WithTransfer web={web} />
            </Tabs.Panel>
          </Tabs>
        )}
      </Loaded>
    </Page>
  )
}

import { Anchor, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { WebAccount, WebSession } from '../../../api.ts'
import { accountQuery } from '../../api/queries.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { credits, usdg } from '../../parts/words.ts'
import { Private } from '../../session/private.tsx'
import { Connected } from '../../wallet/connected.tsx'
import { WalletProvider } from '../../wallet/provider.tsx'
import { openWish } from '../../wallet/wish.ts'
import { AtOnce } from './at-once.tsx'
import { OnYourOwn } from './on-your-own.tsx'
import { isSetAside, type WithdrawProps } from './withdraw-props.ts'

export function WithdrawPage() {
  return <Private title="Withdraw">{(session) => <Withdraw session={session} />}</Private>
}

function Withdraw({ session }: { readonly session: WebSession }) {
  const account = useQuery(accountQuery)
  return (
    <Page
      title="Withdraw"
      lead="Turn available credits back into USDG at any time. There is no fee but the network’s own."
    >
      <Loaded query={account}>
        {(data) => (
          <>
            <p style={{ margin: 0 }}>
              Available: <strong className="numbers">{credits(data.credits_remaining)}</strong>,
              worth {usdg(data.usdg_value)}
            </p>
            {data.credits_remaining === 0 && !openWish(session.wallet) && (
              <NothingNow account={data} />
            )}
            <WalletProvider>
              {(web) => (
                <Connected wallet={session.wallet} web={web}>
                  <Ways wallet={session.wallet} web={web} account={data} />
                </Connected>
              )}
            </WalletProvider>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function NothingNow({ account }: { readonly account: WebAccount }) {
  const isHeld = account.locked.credits + account.settling.credits + account.refunding.credits > 0
  return (
    <Text size="sm" className="muted">
      {isHeld
        ? 'Nothing can be withdrawn at this moment: what jobs do not use comes free when they end.'
        : 'There is nothing to withdraw. '}
      {!isHeld && (
        <Anchor inherit renderRoot={(props) => <Link {...props} to="/buy" />}>
          Buy credits
        </Anchor>
      )}
    </Text>
  )
}

function Ways(props: WithdrawProps) {
  // Who comes back in the middle of it finds it.
  const first = isSetAside(props.account) ? 'own' : 'now'
  return (
    <Tabs defaultValue={first} keepMounted={false}>
      <Tabs.List mb="lg">
        <Tabs.Tab value="now">At once</Tabs.Tab>
        <Tabs.Tab value="own">Without us</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="now">
        <AtOnce {...props} />
      </Tabs.Panel>
      <Tabs.Panel value="own">
        <OnYourOwn {...props} />
      </Tabs.Panel>
    </Tabs>
  )
}

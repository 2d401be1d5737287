import { Anchor, Tabs, Text } from '@mantine/core'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { WebAccount, WebSession } from '../../../api.ts'
import { accountQuery, sessionQuery } from '../../api/queries.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { credits, usdg } from '../../parts/words.ts'
import { Private } from '../../session/private.tsx'
import { AnyWallet } from '../../wallet/any-wallet.tsx'
import { Connected } from '../../wallet/connected.tsx'
import { WalletProvider } from '../../wallet/provider.tsx'
import { openWish } from '../../wallet/wish.ts'
import { AtOnce } from './at-once.tsx'
import { type FromWallet, isSetAside } from './withdraw-props.ts'
import { WithoutUs } from './without-us.tsx'

export function WithdrawPage() {
  const session = useQuery(sessionQuery)
  // From the first failure on: whose page it is cannot be told, and the chain pays all the same.
  if (session.data === undefined && session.errorUpdateCount > 0) {
    return <WithoutSession session={session} />
  }
  return <Private title="Withdraw">{(session) => <Withdraw session={session} />}</Private>
}

const LEAD =
  'Turn available credits back into USDG at any time. There is no fee but the network’s own.'

function WithoutSession({ session }: { readonly session: UseQueryResult<WebSession | null> }) {
  return (
    <Page title="Withdraw" lead={LEAD}>
      <Loaded query={session}>{() => null}</Loaded>
      <AnyWallet>
        {(wallet, web) => <WithoutUs wallet={wallet} web={web} account={undefined} />}
      </AnyWallet>
    </Page>
  )
}

function Withdraw({ session }: { readonly session: WebSession }) {
  const account = useQuery(accountQuery)
  return (
    <Page title="Withdraw" lead={LEAD}>
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
          </>
        )}
      </Loaded>
      {/* From the first failure on, not only while there is an error: it is asked again now and then. */}
      {(account.data || account.errorUpdateCount > 0) && (
        <WalletProvider>
          {(web) => (
            <Connected wallet={session.wallet} web={web}>
              <Ways wallet={session.wallet} web={web} account={account.data} />
            </Connected>
          )}
        </WalletProvider>
      )}
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

interface WaysProps extends FromWallet {
  /** Undefined: the service does not tell. */
  readonly account: WebAccount | undefined
}

function Ways({ account, ...from }: WaysProps) {
  // Who comes back in the middle of it finds it; and who has one way only is at that.
  const first = !account || isSetAside(account) ? 'own' : 'now'
  return (
    <Tabs defaultValue={first} keepMounted={false}>
      <Tabs.List mb="lg">
        <Tabs.Tab value="now">At once</Tabs.Tab>
        <Tabs.Tab value="own">Without us</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="now">
        {account ? <AtOnce {...from} account={account} /> : <NotAtOnce />}
      </Tabs.Panel>
      <Tabs.Panel value="own">
        <WithoutUs {...from} account={account} />
      </Tabs.Panel>
    </Tabs>
  )
}

const NotAtOnce = () => (
  <Text role="status">
    A withdrawal at once is not possible as long as the service does not tell your balance. This
    page asks it again by itself. “Without us” works meanwhile: it needs the chain alone.
  </Text>
)

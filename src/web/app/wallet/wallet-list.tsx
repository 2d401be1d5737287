import { Alert, Button, Stack } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { type Connector, useConnectors } from 'wagmi'
import { IconWallet } from '../parts/icons.ts'
import { onLateWallet } from './late-wallet.ts'
import { DEVELOPMENT_RDNS, UNANNOUNCED } from './wagmi.ts'

/** The wallets of this browser, as buttons. */
export function WalletList({
  choose,
  busy,
  stop,
}: {
  readonly choose: (connector: Connector) => void
  /** The connector that is being asked. */
  readonly busy: string | undefined
  /** Undefined: it is too late to choose another. */
  readonly stop: (() => void) | undefined
}) {
  const connectors = useWallets()
  if (connectors.length === 0) {
    return (
      <Alert color="gray" title="No wallet found in this browser">
        Install a browser wallet (any that supports EIP-6963, such as MetaMask or Rabby), then
        reload this page. On a phone, open this page in your wallet’s own browser.
      </Alert>
    )
  }
  return (
    <Stack gap="xs">
      {ordered(connectors).map((connector) => (
        <Button
          key={connector.uid}
          size="md"
          variant={connector.id === DEVELOPMENT_RDNS ? 'light' : 'filled'}
          color={connector.id === DEVELOPMENT_RDNS ? 'orange' : 'accent'}
          justify="flex-start"
          loading={busy === connector.uid}
          disabled={busy !== undefined && busy !== connector.uid && !stop}
          leftSection={
            connector.icon?.startsWith('data:') ? (
              <img src={connector.icon} alt="" width={22} height={22} />
            ) : (
              <IconWallet size={22} />
            )
          }
          onClick={() => choose(connector)}
        >
          {connector.id === UNANNOUNCED ? 'The wallet of this browser' : connector.name}
        </Button>
      ))}
      {busy !== undefined && stop && (
        <Button variant="subtle" size="compact-sm" style={{ alignSelf: 'start' }} onClick={stop}>
          Stop waiting
        </Button>
      )}
    </Stack>
  )
}

/**
 * Those that have announced themselves (EIP-6963). Where no real one has, also what is at the old place,
 * `window.ethereum`: apps of wallets with a browser of their own may know no other.
 */
function useWallets(): readonly Connector[] {
  const isAtOldPlace = useSyncExternalStore(onLateWallet, hasOldPlace)
  const connectors = useConnectors().filter(({ type }) => type === 'injected')
  const announced = connectors.filter(({ id }) => id !== UNANNOUNCED)
  const isAnnounced = announced.some(({ id }) => id !== DEVELOPMENT_RDNS)
  return isAtOldPlace && !isAnnounced ? connectors : announced
}

const hasOldPlace = (): boolean => Boolean((window as { readonly ethereum?: unknown }).ethereum)

/** Real wallets first. */
const ordered = (connectors: readonly Connector[]) =>
  [...connectors].sort(
    (a, b) => Number(a.id === DEVELOPMENT_RDNS) - Number(b.id === DEVELOPMENT_RDNS),
  )

import { Alert, Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Fragment, type ReactNode, useEffect, useState } from 'react'
import type { Address } from 'viem'
import { type Connector, useConfig, useConnection } from 'wagmi'
import type { WebConfig } from '../../api.ts'
import { Problem } from '../parts/problem.tsx'
import { SentBefore } from './sent-before.tsx'
import { switchTo } from './switch-chain.ts'
import { connectTo, useWalletChoice } from './use-wallet-choice.ts'
import { WalletList } from './wallet-list.tsx'

interface Gate {
  readonly web: WebConfig
  /** Whose page it is; undefined: that of whichever is connected. */
  readonly wallet?: string
  /** Why somebody should connect a wallet here. */
  readonly invitation: ReactNode
  /** What is wrong with the account that the wallet shows. */
  readonly objection?: (account: Address) => ReactNode
  readonly children: (account: Address) => ReactNode
}

/**
 * Shows its children once a wallet is connected, with a right account, on the right chain; and, before
 * that, what was sent from this page earlier.
 */
export function WalletGate(gate: Gate) {
  const { address } = useConnection()
  const wallet = (gate.wallet ?? address)?.toLowerCase()
  return (
    <Stack>
      {wallet !== undefined && <SentBefore key={wallet} web={gate.web} wallet={wallet} />}
      <Gated {...gate} />
    </Stack>
  )
}

function Gated({ web, invitation, objection, children }: Gate) {
  const config = useConfig()
  const connection = useConnection()
  const choice = useWalletChoice((connector, signal) =>
    connectTo(config, { connector, signal, chainId: web.chain.id }),
  )
  const isLooking = connection.status === 'reconnecting' || connection.status === 'connecting'
  const isLong = useIsLong(isLooking)
  // A wallet that does not answer, of an earlier visit or chosen just now, stands in no other's way.
  if (isLooking && !isLong && !choice.busy) {
    return <Text role="status">Looking for your wallet…</Text>
  }
  if (connection.status !== 'connected') {
    return (
      <Stack align="start">
        <Text>{invitation}</Text>
        <WalletList busy={choice.busy} choose={choice.choose} stop={choice.stop} />
        {choice.error && <Problem error={choice.error} />}
      </Stack>
    )
  }
  const account = connection.address.toLowerCase() as Address
  const wrong = objection?.(account)
  if (wrong) return wrong
  if (connection.chainId !== web.chain.id) {
    return <OtherChain web={web} connector={connection.connector} />
  }
  // What was typed for one account, or done with it, is nothing to say of another.
  return <Fragment key={account}>{children(account)}</Fragment>
}

function OtherChain({
  web,
  connector,
}: {
  readonly web: WebConfig
  readonly connector: Connector
}) {
  const config = useConfig()
  const { chain } = web
  const switching = useMutation({
    mutationFn: () => switchTo(config, { connector, chainId: chain.id }),
  })
  return (
    <Alert color="yellow" title="Your wallet is on another chain">
      <Stack gap="xs" align="start">
        <Button size="xs" loading={switching.isPending} onClick={() => switching.mutate()}>
          Switch to {chain.name}
        </Button>
        <Text size="sm" role="status">
          {switching.isPending ? 'Asked. Open your wallet if it does not come up by itself.' : ''}
        </Text>
        {switching.error && <Problem error={switching.error} />}
        <Text size="sm">
          Or choose it in the wallet: {chain.name}, chain ID {chain.id}, coin {chain.coin.symbol},
          RPC URL <span className="mono">{chain.rpc_url}</span>
        </Text>
      </Stack>
    </Alert>
  )
}

const LONG_MS = 3_000

function useIsLong(isLooking: boolean): boolean {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    if (!isLooking) return
    const timer = setTimeout(() => setLong(true), LONG_MS)
    return () => clearTimeout(timer)
  }, [isLooking])
  return isLong
}

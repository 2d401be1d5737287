import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Address } from 'viem'
import { type Connector, useConfig, useConnection } from 'wagmi'
import { connect, switchChain } from 'wagmi/actions'
import type { WebConfig } from '../../api.ts'
import { Problem } from '../parts/problem.tsx'
import { WalletList } from './wallet-list.tsx'

interface Gate {
  readonly web: WebConfig
  /** Why somebody should connect a wallet here. */
  readonly invitation: ReactNode
  /** What is wrong with the account that the wallet shows. */
  readonly objection?: (account: Address) => ReactNode
  readonly children: (account: Address) => ReactNode
}

/** Shows its children once a wallet is connected, with a right account, on the right chain. */
export function WalletGate({ web, invitation, objection, children }: Gate) {
  const config = useConfig()
  const connection = useConnection()
  const connecting = useMutation({
    mutationFn: (connector: Connector) => connect(config, { connector, chainId: web.chain.id }),
  })
  const switching = useMutation({
    mutationFn: () => switchChain(config, { chainId: web.chain.id }),
  })
  if (connection.status === 'reconnecting' || connection.status === 'connecting') {
    return <Text role="status">Looking for your wallet…</Text>
  }
  if (connection.status !== 'connected') {
    return (
      <Stack align="start">
        <Text>{invitation}</Text>
        <WalletList
          busy={connecting.isPending ? connecting.variables.uid : undefined}
          choose={(connector) => connecting.mutate(connector)}
        />
        {connecting.error && <Problem error={connecting.error} />}
      </Stack>
    )
  }
  const account = connection.address.toLowerCase() as Address
  const wrong = objection?.(account)
  if (wrong) return wrong
  if (connection.chainId !== web.chain.id) {
    return (
      <Alert color="yellow" title="Your wallet is on another chain">
        <Group>
          <Button size="xs" loading={switching.isPending} onClick={() => switching.mutate()}>
            Switch to {web.chain.name}
          </Button>
          {switching.error && <Problem error={switching.error} />}
        </Group>
      </Alert>
    )
  }
  return children(account)
}

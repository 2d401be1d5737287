import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import type { WebConfig } from '../../api.ts'
import { readerOf } from '../chain/reader.ts'
import { Done } from '../parts/progress.tsx'
import { TxLink } from '../parts/tx-link.tsx'
import { all, forget, noteSender, type Sent } from './sent.ts'
import { endDeposit } from './signed-deposit.ts'
import { useUntold } from './use-sent.ts'
import { CHANGED_BY_TRANSACTIONS } from './use-transaction.ts'
import { isOver, type Whereabouts, whereabouts } from './whereabouts.ts'
import { endWish } from './wish.ts'

const LOOK_MS = 3_000

interface Props {
  readonly web: WebConfig
  readonly wallet: string
}

/** What the wallet sent from this page before it was loaded anew, or in another tab, until its end is known. */
export function SentBefore({ web, wallet }: Props) {
  const { pathname } = useLocation()
  // Once shown, its end is said, too: be it another tab that forgets it.
  const [shown, setShown] = useState<readonly Sent[]>([])
  const isNew = (sent: Sent) =>
    sent.wallet === wallet &&
    sent.chainId === web.chain.id &&
    sent.place === pathname &&
    shown.every(({ hash }) => hash !== sent.hash)
  const added = useUntold().filter(isNew)
  if (added.length > 0) setShown([...added, ...shown])
  if (shown.length === 0) return null
  return (
    <Stack gap="xs">
      {shown.map((sent) => (
        <SentOne
          key={sent.hash}
          web={web}
          sent={sent}
          drop={() => {
            forget(sent.hash)
            setShown((others) => others.filter(({ hash }) => hash !== sent.hash))
          }}
        />
      ))}
    </Stack>
  )
}

interface OneProps {
  readonly web: WebConfig
  readonly sent: Sent
  readonly drop: () => void
}

function SentOne({ web, sent, drop }: OneProps) {
  const client = useQueryClient()
  const { data: at } = useQuery({
    queryKey: ['sent', sent.hash],
    // As it is known now: the sender may have been learned since it was shown first.
    queryFn: () => whereabouts(readerOf(web), all().find(({ hash }) => hash === sent.hash) ?? sent),
    refetchInterval: ({ state: { data } }) => (data && isOver(data) ? false : LOOK_MS),
    retry: false,
  })
  useEffect(() => {
    if (!at) return
    if (at.state === 'waiting') noteSender(sent.hash, at.sender)
    if (!isOver(at)) return
    if (at.state === 'included' && sent.of !== undefined) {
      endWish(sent.of)
      endDeposit(sent.of)
    }
    forget(sent.hash)
    for (const name of CHANGED_BY_TRANSACTIONS) void client.invalidateQueries({ queryKey: [name] })
  }, [at, client, sent.hash, sent.of])
  const link = <TxLink hash={sent.hash} />
  switch (at?.state) {
    case 'included':
      return <Done title={`“${sent.what}” is in a block`}>{link}</Done>
    case 'failed':
      return (
        <Ended title={`“${sent.what}” failed`} link={link} color="red">
          The contract refused it. Nothing was spent but the network’s fee.
        </Ended>
      )
    case 'replaced':
      return (
        <Ended title={`Another transaction took the place of “${sent.what}”`} link={link}>
          It was sent again with a higher fee, or cancelled. Look at your balance, or at your
          wallet, before you try again.
        </Ended>
      )
    default:
      return <UnderWay what={sent.what} at={at} link={link} drop={drop} />
  }
}

interface EndedProps {
  readonly title: string
  readonly link: ReactNode
  readonly color?: 'red' | 'gray'
  readonly children: ReactNode
}

const Ended = ({ title, link, color = 'gray', children }: EndedProps) => (
  <Alert color={color} variant="light" role="status" title={title}>
    {children} {link}
  </Alert>
)

interface UnderWayProps {
  readonly what: string
  /** Undefined: the chain has not answered yet. */
  readonly at: Whereabouts | undefined
  readonly link: ReactNode
  readonly drop: () => void
}

function UnderWay({ what, at, link, drop }: UnderWayProps) {
  return (
    <Alert
      color="yellow"
      variant="light"
      role="status"
      title={`“${what}” was sent and is in no block yet`}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 280px">
          {at?.state === 'unknown'
            ? 'The chain does not know it: it is still on its way, was dropped, or was sent again with another fee. Look at it in your wallet before you try again.'
            : 'It counts as soon as it is. This page follows it: do not send it again meanwhile.'}{' '}
          {link}
        </Text>
        <Button size="xs" variant="default" onClick={drop}>
          Do not follow it
        </Button>
      </Group>
    </Alert>
  )
}

import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { BlockNotFoundError, type Block as ChainBlock, type Transaction } from 'viem'
import type { WebConfig } from '../../../api.ts'
import { callOf } from '../../chain/calls.ts'
import { readerOf } from '../../chain/reader.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { WithConfig } from '../../parts/with-config.tsx'
import { preciseOf } from '../../parts/words.ts'
import { AddressTo, AllOfIt, TxTo } from './links.tsx'

export function BlockPage() {
  const { block = '' } = useParams({ strict: false })
  return (
    <Page title={`Block ${block}`} key={block}>
      <AllOfIt />
      {/^\d{1,15}$/.test(block) ? (
        <WithConfig>{(web) => <Block number={BigInt(block)} web={web} />}</WithConfig>
      ) : (
        <Alert color="yellow" title="This is no block number">
          Blocks are counted from 0. Look up a whole number.
        </Alert>
      )}
    </Page>
  )
}

type WholeBlock = ChainBlock<bigint, true, 'latest'>
const LOOK_AGAIN_MS = 2_000

function Block({ number, web }: { readonly number: bigint; readonly web: WebConfig }) {
  const query = useQuery({
    queryKey: ['chain', 'block', `${number}`],
    queryFn: () => readBlock(web, number),
    refetchInterval: ({ state }) => (state.data ? false : LOOK_AGAIN_MS),
  })
  return (
    <Loaded query={query} lines={6}>
      {(block) => (
        <Stack>
          <Neighbours number={number} />
          {block ? <Known block={block} web={web} /> : <NotYet />}
        </Stack>
      )}
    </Loaded>
  )
}

/** Null: there is none yet. */
const readBlock = (web: WebConfig, blockNumber: bigint) =>
  readerOf(web)
    .getBlock({ blockNumber, includeTransactions: true })
    .catch((error: unknown) => {
      if (error instanceof BlockNotFoundError) return null
      throw error
    })

function NotYet() {
  return (
    <Alert color="gray" role="status" title="The chain has not come to this block yet">
      This page looks again every two seconds.
    </Alert>
  )
}

function Neighbours({ number }: { readonly number: bigint }) {
  const to = (other: bigint, label: string) => (
    <Button
      size="compact-sm"
      variant="default"
      renderRoot={(props) => (
        <Link {...props} to="/explorer/block/$block" params={{ block: `${other}` }} />
      )}
    >
      {label}
    </Button>
  )
  return (
    <Group gap="xs">
      {number > 0n && to(number - 1n, '← Earlier')}
      {to(number + 1n, 'Later →')}
    </Group>
  )
}

function Known({ block, web }: { readonly block: WholeBlock; readonly web: WebConfig }) {
  return (
    <>
      <Facts>
        <Fact name="Time">{preciseOf(block.timestamp)}</Fact>
        <Fact name="Hash">
          <span className="mono">{block.hash}</span>
        </Fact>
        <Fact name="Gas used">
          {block.gasUsed.toLocaleString('en')} of {block.gasLimit.toLocaleString('en')}
        </Fact>
        {block.baseFeePerGas !== null && (
          <Fact name="Base fee">{block.baseFeePerGas.toLocaleString('en')} wei for one gas</Fact>
        )}
      </Facts>
      <section>
        <Title order={2} size="h4" mb="xs">
          Transactions
        </Title>
        {block.transactions.length === 0 && <Text className="muted">There are none.</Text>}
        {block.transactions.length > 0 && (
          <ul className="rows card">
            {block.transactions.map((transaction) => (
              <Row key={transaction.hash} transaction={transaction} web={web} />
            ))}
          </ul>
        )}
      </section>
    </>
  )
}

function Row({ transaction, web }: { readonly transaction: Transaction; readonly web: WebConfig }) {
  const { hash, from, to, input } = transaction
  const call = to ? callOf(web, to, input) : undefined
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <Text>
          {call ? <strong>{call.name}</strong> : <span>{plainly(transaction)}</span>}{' '}
          {to && (
            <Text span size="sm" className="muted">
              of <AddressTo address={to} web={web} />
            </Text>
          )}
        </Text>
        <Text size="sm" className="muted">
          from <AddressTo address={from} web={web} /> · <TxTo hash={hash} />
        </Text>
      </Group>
    </li>
  )
}

const plainly = ({ to, input }: Transaction): string => {
  if (!to) return 'Makes a contract'
  return input === '0x' ? 'Transfer' : 'Call'
}

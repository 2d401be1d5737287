import { Alert, Anchor, Badge, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { formatUnits } from 'viem'
import type { WebConfig } from '../../../api.ts'
import { callOf } from '../../chain/calls.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { WithConfig } from '../../parts/with-config.tsx'
import { preciseOf } from '../../parts/words.ts'
import { EventList } from './event-list.tsx'
import { AddressTo, AllOfIt, BlockTo } from './links.tsx'
import { NameOf, ValuesOf } from './named.tsx'
import { type Found, type FoundTransaction, readTransaction } from './read-transaction.ts'

export function TransactionPage() {
  const { hash = '' } = useParams({ strict: false })
  return (
    <Page title="Transaction" key={hash}>
      <AllOfIt />
      <WithConfig>{(web) => <Transaction hash={hash.toLowerCase()} web={web} />}</WithConfig>
    </Page>
  )
}

const LOOK_AGAIN_MS = 2_000

interface Props {
  readonly hash: string
  readonly web: WebConfig
}

function Transaction({ hash, web }: Props) {
  const isHash = /^0x[0-9a-f]{64}$/.test(hash)
  const query = useQuery({
    queryKey: ['chain', 'transaction', hash],
    queryFn: () => readTransaction(web, hash as `0x${string}`),
    enabled: isHash,
    refetchInterval: ({ state }) => (isFinal(state.data) ? false : LOOK_AGAIN_MS),
  })
  if (!isHash) {
    return (
      <Alert color="yellow" title="This is no transaction hash">
        A hash is 0x and 64 hexadecimal digits. Copy it once more, as a whole.
      </Alert>
    )
  }
  return (
    <Loaded query={query} lines={8}>
      {(found) => {
        if (found.is === 'nothing') return <Unknown hash={hash} />
        if (found.is === 'block') return <IsBlock number={found.number} />
        return <Known found={found} web={web} />
      }}
    </Loaded>
  )
}

/** It is in a block, or is one. */
const isFinal = (found: Found | undefined): boolean =>
  found?.is === 'block' || (found?.is === 'transaction' && found.receipt !== null)

function Unknown({ hash }: { readonly hash: string }) {
  return (
    <Alert color="gray" role="status" title="The chain does not know this transaction yet">
      <Text size="sm">
        It may be on its way: this page looks again every two seconds. If it stays so, it was
        replaced by one with a higher fee, or the hash is of another chain.
      </Text>
      <Text size="sm" className="mono" mt="xs">
        {hash}
      </Text>
    </Alert>
  )
}

function IsBlock({ number }: { readonly number: bigint }) {
  return (
    <Alert color="gray" title="This is the hash of a block">
      <Anchor
        renderRoot={(props) => (
          <Link {...props} to="/explorer/block/$block" params={{ block: `${number}` }} />
        )}
      >
        Go to block {number.toLocaleString('en')}
      </Anchor>
    </Alert>
  )
}

function Known({ found, web }: { readonly found: FoundTransaction; readonly web: WebConfig }) {
  const { transaction, receipt, events, timestamp, failure } = found
  const { coin } = web.chain
  const inCoin = (units: bigint) => `${formatUnits(units, coin.decimals)} ${coin.symbol}`
  const to = transaction.to ?? receipt?.contractAddress
  return (
    <Stack>
      <Facts>
        <Fact name="Status">
          <Status found={found} />
          {failure && <Text size="sm">{failure}</Text>}
        </Fact>
        <Fact name="Hash">
          <span className="mono">{transaction.hash}</span>{' '}
          <CopyButton text={transaction.hash} what="the hash" />
        </Fact>
        {receipt && (
          <Fact name="Block">
            <BlockTo number={receipt.blockNumber} />
            {timestamp !== undefined && `, ${preciseOf(timestamp)}`}
          </Fact>
        )}
        <Fact name="From">
          <AddressTo address={transaction.from} web={web} whole />
        </Fact>
        <Fact name={transaction.to ? 'To' : 'Made the contract'}>
          {to ? <AddressTo address={to} web={web} whole /> : 'not made yet'}
        </Fact>
        {transaction.value > 0n && <Fact name="Value">{inCoin(transaction.value)}</Fact>}
        <Fact name="Fee">
          {receipt
            ? `${inCoin(receipt.gasUsed * receipt.effectiveGasPrice)}, for ${receipt.gasUsed.toLocaleString('en')} gas`
            : `at most ${transaction.gas.toLocaleString('en')} gas`}
        </Fact>
        <Fact name="Nonce">{transaction.nonce}</Fact>
      </Facts>
      <Called found={found} web={web} />
      {receipt && (
        <section>
          <Title order={2} size="h4" mb="xs">
            What it did
          </Title>
          {events.length > 0 ? (
            <EventList events={events} web={web} />
          ) : (
            <Text className="muted">
              {receipt.status === 'success'
                ? 'Nothing that the contracts of this service tell of.'
                : 'Nothing: it failed, and all that it had changed was undone. The fee was paid.'}
            </Text>
          )}
        </section>
      )}
    </Stack>
  )
}

function Status({ found: { receipt } }: { readonly found: FoundTransaction }) {
  if (!receipt)
    return (
      <Badge color="yellow" variant="light">
        In no block yet; looking again
      </Badge>
    )
  return receipt.status === 'success' ? (
    <Badge color="accent" variant="light">
      Done
    </Badge>
  ) : (
    <Badge color="red" variant="light">
      Failed
    </Badge>
  )
}

function Called({ found, web }: { readonly found: FoundTransaction; readonly web: WebConfig }) {
  const { to, input } = found.transaction
  if (!to || input === '0x') return null
  const call = callOf(web, to, input)
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        What it called
      </Title>
      <div className="card">
        {call ? (
          <>
            <NameOf name={call.name} address={to} web={web} />
            <ValuesOf named={call} web={web} />
          </>
        ) : (
          <Fold
            summary={`${(input.length / 2 - 1).toLocaleString('en')} bytes for a contract of others`}
            content={() => <pre className="snippet">{input}</pre>}
          />
        )}
      </div>
    </section>
  )
}

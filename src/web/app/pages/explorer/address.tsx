import { Alert, Anchor, Button, Stack, Text, Title } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { type Address, formatUnits } from 'viem'
import type { WebConfig } from '../../../api.ts'
import type { ChainEvent } from '../../chain/events.ts'
import { readEventsBack } from '../../chain/logs.ts'
import { rcompute } from '../../chain/said.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Loaded, Waiting } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { WithConfig } from '../../parts/with-config.tsx'
import { credits, usdgOfCredits, usdgOfUnits } from '../../parts/words.ts'
import { EventList } from './event-list.tsx'
import { AddressTo, AllOfIt } from './links.tsx'
import { type AddressFacts, ownerOfDepositAddress, readAddress, searchOf } from './read-address.ts'

export function AddressPage() {
  const { address = '' } = useParams({ strict: false })
  return (
    <Page title="Address" key={address}>
      <AllOfIt />
      {/^0x[0-9a-fA-F]{40}$/.test(address) ? (
        <WithConfig>
          {(web) => <OneAddress address={address.toLowerCase() as Address} web={web} />}
        </WithConfig>
      ) : (
        <Alert color="yellow" title="This is no address">
          An address is 0x and 40 hexadecimal digits. Copy it once more, as a whole.
        </Alert>
      )}
    </Page>
  )
}

interface Props {
  readonly address: Address
  readonly web: WebConfig
}

const LOOK_AGAIN_MS = 5_000
const PAGE_SIZE = 15
/** A busy wallet has thousands of events in the range of blocks that was read: drawn at once they halt the page. */
const SHOWN_MORE = 50

function OneAddress({ address, web }: Props) {
  const facts = useQuery({
    queryKey: ['chain', 'address', address],
    queryFn: () => readAddress(web, address),
    refetchInterval: LOOK_AGAIN_MS,
  })
  return (
    <Loaded query={facts} lines={6}>
      {(data) => <WithEvents address={address} web={web} facts={data} />}
    </Loaded>
  )
}

function WithEvents({ address, web, facts }: Props & { readonly facts: AddressFacts }) {
  const search = searchOf(web, address, facts)
  const [most, setMost] = useState(SHOWN_MORE)
  const query = useInfiniteQuery({
    queryKey: ['chain', 'events', address, facts.workerId],
    queryFn: ({ pageParam }) =>
      readEventsBack(web, search, { enough: PAGE_SIZE, before: pageParam }),
    initialPageParam: undefined as bigint | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const events = query.data?.pages.flatMap((page) => page.events)
  const isMore = query.hasNextPage || (events ?? []).length > most
  const lookFurther = () => {
    setMost(most + SHOWN_MORE)
    if (query.hasNextPage && (events ?? []).length <= most) void query.fetchNextPage()
  }
  return (
    <Stack>
      <Known address={address} web={web} facts={facts} events={events ?? []} />
      <section>
        <Title order={2} size="h4" mb="xs">
          Latest events
        </Title>
        {query.error && <Problem error={query.error} retry={() => void query.refetch()} />}
        {!events && !query.error && <Waiting lines={5} />}
        {events?.length === 0 && (
          <Text className="muted">
            {query.hasNextPage
              ? 'None in the latest blocks.'
              : 'The contracts of this service have never told of this address.'}
          </Text>
        )}
        {events && events.length > 0 && (
          <EventList events={events.slice(0, most)} web={web} placed />
        )}
        {isMore && (
          <Button
            mt="sm"
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={lookFurther}
          >
            Look further back
          </Button>
        )}
      </section>
    </Stack>
  )
}

interface KnownProps extends Props {
  readonly facts: AddressFacts
  readonly events: readonly ChainEvent[]
}

function Known({ address, web, facts, events }: KnownProps) {
  const { coin } = web.chain
  const { account, workerId } = facts
  const owner = ownerOfDepositAddress(web, address, events)
  return (
    <Facts>
      <Fact name="Address">
        <span className="mono">{address}</span> <CopyButton text={address} what="the address" />
      </Fact>
      <Fact name="What it is">
        <WhatItIs web={web} facts={facts} owner={owner} />
      </Fact>
      {workerId > 0 && (
        <Fact name="Worker">
          <Anchor
            renderRoot={(props) => <Link {...props} to="/workers/$address" params={{ address }} />}
          >
            Number {workerId}: earnings and stake
          </Anchor>
        </Fact>
      )}
      <Fact name={coin.symbol}>{formatUnits(facts.coin, coin.decimals)}</Fact>
      <Fact name="USDG">{usdgOfUnits(facts.usdgUnits)}</Fact>
      <Fact name="RCOMPUTE">{rcompute(facts.rcompute)}</Fact>
      {!facts.contract && (
        <Fact name="Credits in escrow">
          {credits(account.available)} available, worth {usdgOfCredits(account.available)}
          {account.locked > 0 && ` · ${credits(account.locked)} locked for jobs`}
          {account.thawing > 0 && ` · ${credits(account.thawing)} set aside`}
        </Fact>
      )}
      {!facts.contract && !owner && (
        <Fact name="Its deposit address">
          <AddressTo address={facts.depositAddress} web={web} whole />
        </Fact>
      )}
    </Facts>
  )
}

interface WhatProps {
  readonly web: WebConfig
  readonly facts: AddressFacts
  /** Of the deposit address that this is. */
  readonly owner: Address | undefined
}

function WhatItIs({ web, facts, owner }: WhatProps) {
  if (facts.contract) {
    return (
      <>
        <strong>{facts.contract.name}</strong>. {facts.contract.about}
      </>
    )
  }
  if (owner) {
    return (
      <>
        The deposit address of <AddressTo address={owner} web={web} />. USDG sent here becomes its
        credits.
      </>
    )
  }
  if (facts.workerId > 0) return <>A worker of this network.</>
  return facts.isContract ? <>A contract that is not of this service.</> : <>A wallet.</>
}

import { Group, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { WebConfig } from '../../../api.ts'
import { contractsOf } from '../../chain/contracts.ts'
import { readerOf } from '../../chain/reader.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { WithConfig } from '../../parts/with-config.tsx'
import { preciseOf } from '../../parts/words.ts'
import { AddressTo, BlockTo } from './links.tsx'
import { Search } from './search.tsx'

export function ExplorerPage() {
  return (
    <Page
      title="Explorer"
      lead="What stands on the chain, read by your browser itself: nothing of it comes from our servers."
    >
      <Search />
      <WithConfig>
        {(web) => (
          <>
            <LatestBlocks web={web} />
            <Contracts web={web} />
          </>
        )}
      </WithConfig>
    </Page>
  )
}

const SHOWN = 10
const LOOK_AGAIN_MS = 3_000

function LatestBlocks({ web }: { readonly web: WebConfig }) {
  const blocks = useQuery({
    queryKey: ['chain', 'latest-blocks'],
    queryFn: () => readLatest(web),
    refetchInterval: LOOK_AGAIN_MS,
  })
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        Latest blocks
      </Title>
      <Loaded query={blocks} lines={6}>
        {(list) => (
          <ul className="rows card">
            {list.map(({ number, timestamp, transactions, gasUsed }) => (
              <li key={`${number}`}>
                <Group justify="space-between" gap="xs">
                  <Text>
                    Block <BlockTo number={number} />
                  </Text>
                  <Text size="sm" className="muted numbers">
                    {counted(transactions.length)} · {gasUsed.toLocaleString('en')} gas ·{' '}
                    {preciseOf(timestamp)}
                  </Text>
                </Group>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  )
}

const counted = (count: number) =>
  count === 1 ? '1 transaction' : `${count.toLocaleString('en')} transactions`

async function readLatest(web: WebConfig) {
  const client = readerOf(web)
  const head = Number(await client.getBlockNumber({ cacheTime: 0 }))
  const count = Math.min(SHOWN, head + 1)
  return Promise.all(
    Array.from({ length: count }, (_, back) =>
      client.getBlock({ blockNumber: BigInt(head - back) }),
    ),
  )
}

function Contracts({ web }: { readonly web: WebConfig }) {
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        Contracts of this service
      </Title>
      <ul className="rows card">
        {contractsOf(web).map(({ name, address, about }) => (
          <li key={name}>
            <AddressTo address={address} web={web} /> <span className="mono muted">{address}</span>
            <Text size="sm" className="muted">
              {about}
            </Text>
          </li>
        ))}
      </ul>
    </section>
  )
}

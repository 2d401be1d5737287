import { SimpleGrid, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { NetworkState } from '../../../api.ts'
import { networkQuery } from '../../api/network-queries.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { SolvencySum } from './solvency-sum.tsx'

export function NetworkPage() {
  const query = useQuery(networkQuery)
  return (
    <Page
      title="Network"
      lead="Who works here now, and whether the contract holds all that it owes."
    >
      <Loaded query={query} lines={6}>
        {(network) => (
          <>
            <Figures network={network} />
            <SolvencySum solvency={network.solvency} />
            <Regions regions={network.workers_by_region} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Figures({ network }: { readonly network: NetworkState }) {
  const figures = [
    ['Jobs in the last minute', network.jobs_per_minute],
    ['Workers connected', network.workers],
    ['Pools they connect to', network.pools],
  ] as const
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      {figures.map(([name, value]) => (
        <section key={name} className="card" aria-label={name}>
          <Text size="sm" className="muted">
            {name}
          </Text>
          <div className="figure">{value.toLocaleString('en')}</div>
        </section>
      ))}
    </SimpleGrid>
  )
}

function Regions({ regions }: { readonly regions: NetworkState['workers_by_region'] }) {
  const entries = Object.entries(regions)
  const most = Math.max(1, ...entries.map(([, workers]) => workers))
  return (
    <section className="card">
      <Title order={2} size="h4" mb="xs">
        Workers by region
      </Title>
      {entries.length === 0 ? (
        <Text className="muted">No worker says where it stands.</Text>
      ) : (
        <ul className="rows">
          {entries.map(([region, workers]) => (
            <li key={region} className="bar-row">
              <span>{region}</span>
              <span className="bar" aria-hidden>
                <span style={{ width: `${(workers / most) * 100}%` }} />
              </span>
              <span className="numbers">{workers.toLocaleString('en')}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

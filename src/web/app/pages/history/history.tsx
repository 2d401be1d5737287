import { Button, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Movement } from '../../../api.ts'
import { movementsQuery } from '../../api/queries.ts'
import { Waiting } from '../../parts/loaded.tsx'
import { More } from '../../parts/more.tsx'
import { Page } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { AddressLink, TxLink } from '../../parts/tx-link.tsx'
import { credits, dateTime, usdg } from '../../parts/words.ts'
import { Private } from '../../session/private.tsx'

export function HistoryPage() {
  return <Private title="History">{() => <History />}</Private>
}

function History() {
  const query = useInfiniteQuery(movementsQuery)
  const movements = query.data?.pages.flatMap(({ data }) => data)
  return (
    <Page title="History" lead="Purchases and withdrawals of this wallet, newest first.">
      {query.error && <Problem error={query.error} retry={() => void query.refetch()} />}
      {movements === undefined && !query.error && <Waiting lines={6} />}
      {movements?.length === 0 && query.hasNextPage && (
        <Text className="muted">Nothing so far. Older blocks are still to be looked through.</Text>
      )}
      {movements?.length === 0 && !query.hasNextPage && (
        <>
          <Text className="muted">
            Nothing yet. Your first purchase will show here with its transaction.
          </Text>
          <div>
            <Button component={Link} to="/buy">
              Buy credits
            </Button>
          </div>
        </>
      )}
      {movements && movements.length > 0 && (
        <ul className="rows card">
          {movements.map((movement) => (
            <Row key={`${movement.tx}-${movement.type}-${movement.credits}`} movement={movement} />
          ))}
        </ul>
      )}
      <More query={query}>Show older ones</More>
    </Page>
  )
}

function Row({ movement }: { readonly movement: Movement }) {
  const bought = movement.type === 'purchase'
  return (
    <li>
      <div className="job-row">
        <div>
          <Text fw={600}>{bought ? 'Purchase' : 'Withdrawal'}</Text>
          <Text size="sm" className="muted">
            {dateTime(movement.at)} · {bought ? 'paid by' : 'paid to'}{' '}
            <AddressLink address={movement.counterparty} />
          </Text>
        </div>
        <div className="job-row-price">
          <Text fw={600} className="numbers">
            {bought ? '+' : '−'}
            {credits(movement.credits)}
          </Text>
          <Text size="sm" className="muted numbers">
            {usdg(movement.usdg_value)} · <TxLink hash={movement.tx} />
          </Text>
        </div>
      </div>
    </li>
  )
}

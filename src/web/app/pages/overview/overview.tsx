import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { WebAccount } from '../../../api.ts'
import { accountQuery } from '../../api/queries.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { credits, dateTime, usdg } from '../../parts/words.ts'
import { Private } from '../../session/private.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Held } from './held.tsx'
import { OnTheWay } from './on-the-way.tsx'

export function OverviewPage() {
  return <Private title="Overview">{() => <Overview />}</Private>
}

function Overview() {
  const account = useQuery(accountQuery)
  return (
    <Page title="Overview" lead="What your wallet can spend, and what is under way.">
      <Loaded query={account} lines={6}>
        {(data) => (
          <>
            <Available account={data} />
            <FirstSteps account={data} />
            <OnTheWay account={data} />
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              {STATES.map(({ name, title, meaning, ends }) => (
                <Held key={name} title={title} meaning={meaning} ends={ends} held={data[name]} />
              ))}
            </SimpleGrid>
          </>
        )}
      </Loaded>
    </Page>
  )
}

const STATES = [
  {
    name: 'locked',
    title: 'Locked',
    meaning: 'Set aside for jobs that run now. What a job does not use comes back.',
    ends: 'returned',
  },
  {
    name: 'settling',
    title: 'Settling',
    meaning: 'Jobs are answered; the chain is confirming their payment.',
    ends: 'settled',
  },
  {
    name: 'refunding',
    title: 'Refunding',
    meaning: 'On the way back to you, from jobs that failed or took too long.',
    ends: 'back',
  },
  {
    name: 'disputed',
    title: 'Disputed',
    meaning: 'Paid for answers you contested. If you are upheld, they come back.',
    ends: 'decided',
  },
] as const

function Available({ account }: { readonly account: WebAccount }) {
  return (
    <section className="card" aria-label="Available credits">
      <Group justify="space-between" align="end">
        <Stack gap={2}>
          <Text size="sm" fw={600}>
            Available
          </Text>
          <div className="figure figure-large">
            {account.credits_remaining.toLocaleString('en')}
          </div>
          <Text className="muted numbers">
            credits, worth {usdg(account.usdg_value)} · ready to spend or withdraw
          </Text>
          <Text size="sm" className="muted">
            {account.last_topup_at
              ? `Last purchase ${dateTime(account.last_topup_at)}`
              : `No purchase yet. ${credits(1)} is worth ${usdg(0.01)}.`}
          </Text>
        </Stack>
        <Group>
          <Button component={Link} to="/buy">
            Buy credits
          </Button>
          <Button component={Link} to="/withdraw" variant="default">
            Withdraw
          </Button>
        </Group>
      </Group>
    </section>
  )
}

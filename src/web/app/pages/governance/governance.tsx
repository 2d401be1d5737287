import { Alert, Anchor, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { WebConfig } from '../../../api.ts'
import { type ListedModel, readModels } from '../../chain/governance.ts'
import { type ChainProposal, readProposals } from '../../chain/proposals.ts'
import { rcompute } from '../../chain/said.ts'
import { Countdown } from '../../parts/countdown.tsx'
import { Loaded, Waiting } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { WithConfig } from '../../parts/with-config.tsx'
import { lasts } from './lasts.ts'
import { NextStep, StateBadge } from './state.tsx'
import { useRules } from './use-rules.ts'

const Act = lazy(async () => ({ default: (await import('./act.tsx')).Act }))

export function GovernancePage() {
  return (
    <Page
      title="Governance"
      lead="What the holders of RCOMPUTE vote for is carried out on the chain by the timelock."
    >
      <WithConfig>{(web) => <Governance web={web} />}</WithConfig>
    </Page>
  )
}

const LOOK_AGAIN_MS = 10_000

function Governance({ web }: { readonly web: WebConfig }) {
  return (
    <>
      <WhoRules web={web} />
      <Proposals web={web} />
      <Models web={web} />
      <Rules web={web} />
      <section>
        <Title order={2} size="h4" mb="xs">
          Take part
        </Title>
        <Suspense fallback={<Waiting lines={4} />}>
          <Act />
        </Suspense>
      </section>
    </>
  )
}

function WhoRules({ web }: { readonly web: WebConfig }) {
  const { data } = useRules(web)
  if (!data) return null
  return data.votesRuleModels ? (
    <Text maw={680}>
      A model stays until they vote to retire it, and then for its notice. Nobody else can remove
      one: not its publisher, and not us.
    </Text>
  ) : (
    <Alert color="yellow" title="Models are not ruled by votes here">
      This service has named somebody else to rule its models. A proposal to retire one could pass,
      and could not be carried out.
    </Alert>
  )
}

function Proposals({ web }: { readonly web: WebConfig }) {
  const query = useQuery({
    queryKey: ['chain', 'proposals'],
    queryFn: () => readProposals(web),
    refetchInterval: LOOK_AGAIN_MS,
  })
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        Proposals
      </Title>
      <Loaded query={query} lines={4}>
        {({ proposals, older }) => (
          <Stack gap="xs">
            {proposals.length === 0 && older === 'none' && (
              <Text className="muted">Nobody has proposed anything so far.</Text>
            )}
            {proposals.length > 0 && (
              <ul className="rows card">
                {proposals.map((proposal) => (
                  <Row key={`${proposal.id}`} proposal={proposal} />
                ))}
              </ul>
            )}
            {older !== 'none' && (
              <Text size="sm" className="muted">
                {older === 'looked for'
                  ? 'Older blocks are still looked through for more.'
                  : 'Older ones are on the chain, and not shown here.'}
              </Text>
            )}
          </Stack>
        )}
      </Loaded>
    </section>
  )
}

function Row({ proposal }: { readonly proposal: ChainProposal }) {
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <Anchor
          renderRoot={(props) => (
            <Link {...props} to="/governance/$id" params={{ id: `${proposal.id}` }} />
          )}
        >
          {proposal.title}
        </Anchor>
        <StateBadge state={proposal.state} />
      </Group>
      <Text size="sm" className="muted numbers">
        {rcompute(proposal.votes.for)} for, {rcompute(proposal.votes.against)} against ·{' '}
        <NextStep proposal={proposal} />
      </Text>
    </li>
  )
}

function Models({ web }: { readonly web: WebConfig }) {
  const query = useQuery({ queryKey: ['chain', 'models'], queryFn: () => readModels(web) })
  const onNotice = query.data?.filter(({ status }) => status !== 'Listed')
  // Most of the time there is none, and then there is nothing to say.
  if (onNotice?.length === 0) return null
  return (
    <Loaded query={query} lines={2}>
      {() => <OnNotice models={onNotice ?? []} />}
    </Loaded>
  )
}

function OnNotice({ models }: { readonly models: readonly ListedModel[] }) {
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        Models on notice
      </Title>
      <ul className="rows card">
        {models.map(({ id, status, retiresAt }) => (
          <li key={id}>
            <Group justify="space-between" gap="xs">
              <Text fw={600}>{id}</Text>
              <Text size="sm" className="muted">
                {status === 'Retired' || !retiresAt ? (
                  'Retired: its ID is no longer valid'
                ) : (
                  <>
                    Retires <Countdown until={retiresAt} done="now" />; works until then
                  </>
                )}
              </Text>
            </Group>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Rules({ web }: { readonly web: WebConfig }) {
  const query = useRules(web)
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        How a vote goes
      </Title>
      <Loaded query={query} lines={4}>
        {(rules) => (
          <ol className="card steps">
            <li>
              Somebody with at least {rcompute(rules.threshold)} of votes proposes it. That keeps
              idle proposals out; whoever has fewer asks others to delegate.
            </li>
            <li>
              {lasts(rules.votingDelay)} later the votes are counted as they then stand, and voting
              begins. It lasts {lasts(rules.votingPeriod)}.
            </li>
            <li>
              It passes with more votes for than against, where for and abstain together come to at
              least {rules.quorumPercent} % of all RCOMPUTE.
            </li>
            <li>Anyone queues what passed; it waits {lasts(rules.timelock)} in the timelock.</li>
            <li>
              Anyone carries it out. A retirement then has {lasts(rules.notice)} of notice, in which
              the model works as before and another vote can keep it.
            </li>
          </ol>
        )}
      </Loaded>
    </section>
  )
}

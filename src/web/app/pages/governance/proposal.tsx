import { Alert, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { WebConfig } from '../../../api.ts'
import { readModels } from '../../chain/governance.ts'
import { type ChainProposal, readProposals } from '../../chain/proposals.ts'
import { rcompute } from '../../chain/said.ts'
import { Back } from '../../parts/back.tsx'
import { Countdown } from '../../parts/countdown.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Loaded, Waiting } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { AddressLink, TxLink } from '../../parts/tx-link.tsx'
import { WithConfig } from '../../parts/with-config.tsx'
import { dateTime } from '../../parts/words.ts'
import { Calls } from './calls.tsx'
import { NextStep, StateBadge } from './state.tsx'

const Steps = lazy(async () => ({ default: (await import('./steps.tsx')).Steps }))

export function ProposalPage() {
  const { id = '' } = useParams({ strict: false })
  return (
    <Page title="Proposal" key={id}>
      <Back to="/governance" list="All proposals" />
      <WithConfig>{(web) => <Proposal id={id} web={web} />}</WithConfig>
    </Page>
  )
}

const LOOK_AGAIN_MS = 5_000

function Proposal({ id, web }: { readonly id: string; readonly web: WebConfig }) {
  const query = useQuery({
    queryKey: ['chain', 'proposals'],
    queryFn: () => readProposals(web),
    refetchInterval: LOOK_AGAIN_MS,
  })
  return (
    <Loaded query={query} lines={8}>
      {({ proposals, older }) => {
        const proposal = proposals.find((each) => `${each.id}` === id)
        if (!proposal) return older === 'looked for' ? <NotFoundYet /> : <NotFound />
        return (
          <Stack gap="lg">
            <Title order={2} size="h3">
              {proposal.title}
            </Title>
            <Known proposal={proposal} />
            <Calls proposal={proposal} web={web} />
            {proposal.model && <Notice model={proposal.model} web={web} />}
            <Suspense fallback={<Waiting lines={3} />}>
              <Steps proposal={proposal} />
            </Suspense>
          </Stack>
        )
      }}
    </Loaded>
  )
}

const NotFoundYet = () => (
  <Alert color="gray" role="status" title="It is not in the latest blocks">
    Older ones are looked through now: stay on this page, and it is shown once it is found.
  </Alert>
)

const NotFound = () => (
  <Alert color="gray" title="There is no such proposal among the latest ones">
    Go back to the list, or look up the transaction that made it in the explorer.
  </Alert>
)

function Known({ proposal }: { readonly proposal: ChainProposal }) {
  const { votes, quorum } = proposal
  const counted = votes.for + votes.abstain
  return (
    <Facts>
      <Fact name="State">
        <StateBadge state={proposal.state} /> <NextStep proposal={proposal} />
      </Fact>
      <Fact name="In its author’s words">
        <span style={{ whiteSpace: 'pre-wrap' }}>{proposal.description}</span>
      </Fact>
      <Fact name="Author">
        <AddressLink address={proposal.proposer} /> · <TxLink hash={proposal.tx} />
      </Fact>
      <Fact name="For">{rcompute(votes.for)}</Fact>
      <Fact name="Against">{rcompute(votes.against)}</Fact>
      <Fact name="Abstain">{rcompute(votes.abstain)}</Fact>
      <Fact name="Quorum">
        {quorum === null
          ? 'Known once voting begins'
          : `${rcompute(counted)} of ${rcompute(quorum)}, ${counted >= quorum ? 'reached' : 'not reached'}`}
      </Fact>
      <Fact name="Voting">
        {dateTime(proposal.votingBeginsAt)} to {dateTime(proposal.votingEndsAt)}
      </Fact>
      {proposal.executableAt && (
        <Fact name="Timelock">until {dateTime(proposal.executableAt)}</Fact>
      )}
    </Facts>
  )
}

function Notice({ model, web }: { readonly model: string; readonly web: WebConfig }) {
  const { data } = useQuery({ queryKey: ['chain', 'models'], queryFn: () => readModels(web) })
  const listed = data?.find(({ id }) => id === model)
  if (!listed) return null
  return (
    <Text>
      <strong>{model}</strong> {listed.status === 'Listed' && 'is listed, and works.'}
      {listed.status === 'Retiring' && listed.retiresAt && (
        <>
          is on notice: it works until {dateTime(listed.retiresAt)}, and retires{' '}
          <Countdown until={listed.retiresAt} done="now" />.
        </>
      )}
      {listed.status === 'Retired' && 'is retired: its ID is no longer valid.'}
    </Text>
  )
}

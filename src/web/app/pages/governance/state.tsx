import { Badge } from '@mantine/core'
import type { ChainProposal, ProposalState } from '../../chain/proposals.ts'
import { Countdown } from '../../parts/countdown.tsx'

const SHOWN: Readonly<Record<ProposalState, readonly [string, string]>> = {
  Pending: ['Voting begins soon', 'gray'],
  Active: ['Voting', 'accent'],
  Canceled: ['Cancelled', 'gray'],
  Defeated: ['Not passed', 'gray'],
  Succeeded: ['Passed', 'accent'],
  Queued: ['In the timelock', 'yellow'],
  Expired: ['Expired', 'gray'],
  Executed: ['Carried out', 'accent'],
}

export function StateBadge({ state }: { readonly state: ProposalState }) {
  const [label, color] = SHOWN[state]
  return (
    <Badge color={color} variant="light">
      {label}
    </Badge>
  )
}

/** What comes next, and when. */
export function NextStep({ proposal }: { readonly proposal: ChainProposal }) {
  const { state, votingBeginsAt, votingEndsAt, executableAt } = proposal
  switch (state) {
    case 'Pending':
      return (
        <>
          voting begins <Countdown until={votingBeginsAt} done="with the next block" />
        </>
      )
    case 'Active':
      return (
        <>
          voting ends <Countdown until={votingEndsAt} done="with the next block" />
        </>
      )
    case 'Succeeded':
      return 'anyone may queue it now'
    case 'Queued':
      return (
        <>
          anyone may carry it out <Countdown until={executableAt ?? votingEndsAt} done="now" />
        </>
      )
    case 'Defeated':
      return 'too few votes, or more against than for'
    case 'Canceled':
      return 'its author took it back before the vote'
    case 'Expired':
      return 'nobody carried it out in time'
    case 'Executed':
      return 'nothing more to do'
  }
}

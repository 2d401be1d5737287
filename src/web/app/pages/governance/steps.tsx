import { Group, Radio, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Address } from 'viem'
import { computeGovernorAbi } from '../../../../chain/abi.ts'
import type { WebConfig } from '../../../api.ts'
import { readBallot } from '../../chain/governance.ts'
import { type ChainProposal, partsOf } from '../../chain/proposals.ts'
import { rcompute } from '../../chain/said.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Done } from '../../parts/progress.tsx'
import { TxLink } from '../../parts/tx-link.tsx'
import { Action } from '../../wallet/action.tsx'
import { AnyWallet } from '../../wallet/any-wallet.tsx'
import type { TxHash } from '../../wallet/transact.ts'

interface Props {
  readonly proposal: ChainProposal
  readonly wallet: Address
  readonly web: WebConfig
  /** The step itself is gone by then. */
  readonly onDone: (tx: TxHash) => void
}

/** What can be done with a proposal in the state that it is in. */
export function Steps({ proposal }: { readonly proposal: ChainProposal }) {
  const [done, setDone] = useState<StepDone>()
  const step = STEPS[proposal.state]
  if (!step) return done && <Said done={done} />
  return (
    <section className="card">
      <Title order={2} size="h4" mb="xs">
        {step.title}
      </Title>
      <AnyWallet>
        {(wallet, web) => (
          <>
            {/* What one account has done is nothing to say of another. */}
            {done?.wallet === wallet && <Said done={done} />}
            <step.Step
              proposal={proposal}
              wallet={wallet}
              web={web}
              onDone={(tx) => setDone({ title: step.done, tx, wallet })}
            />
          </>
        )}
      </AnyWallet>
    </section>
  )
}

interface StepDone {
  readonly title: string
  readonly tx: TxHash
  readonly wallet: Address
}

const Said = ({ done }: { readonly done: StepDone }) => (
  <Done title={done.title}>
    <TxLink hash={done.tx} />
  </Done>
)

interface StepOf {
  readonly title: string
  /** Said afterwards. */
  readonly done: string
  readonly Step: (props: Props) => ReactNode
}
const STEPS: Partial<Record<ChainProposal['state'], StepOf>> = {
  Pending: { title: 'Before the vote', done: 'The proposal is taken back', Step: TakeBack },
  Active: { title: 'Vote', done: 'Your vote is counted', Step: Vote },
  Succeeded: { title: 'Queue it', done: 'It is in the timelock now', Step: Queue },
  Queued: { title: 'Carry it out', done: 'It is carried out', Step: Execute },
}

const governorCall = (web: WebConfig, functionName: string, args: readonly unknown[]) => ({
  ...{ address: web.contracts.governor, abi: computeGovernorAbi, functionName, args },
})

function TakeBack({ proposal, wallet, web, onDone }: Props) {
  if (wallet !== proposal.proposer) {
    return (
      <Text size="sm">
        Nothing can be done until voting begins, but to delegate: votes count as they stand at that
        moment. Only its author can take the proposal back.
      </Text>
    )
  }
  return (
    <Action
      web={web}
      wallet={wallet}
      call={governorCall(web, 'cancel', partsOf(proposal))}
      label="Take the proposal back"
      onDone={onDone}
    >
      You made this proposal, and can take it back until voting begins. The same proposal in the
      same words can then not be made again.
    </Action>
  )
}

const CHOICES = [
  { value: '1', label: 'For' },
  { value: '0', label: 'Against' },
  { value: '2', label: 'Abstain: counts for the quorum only' },
] as const

function Vote({ proposal, wallet, web, onDone }: Props) {
  const [choice, setChoice] = useState('')
  const ballot = useQuery({
    queryKey: ['chain', 'ballot', `${proposal.id}`, wallet],
    queryFn: () => readBallot(web, wallet, proposal),
  })
  const call = governorCall(web, 'castVote', [proposal.id, Number(choice)])
  return (
    <Loaded query={ballot}>
      {({ votes, hasVoted }) => {
        if (hasVoted) return <Text size="sm">You have voted. A vote cannot be changed.</Text>
        if (votes === 0n) {
          return (
            <Text size="sm">
              You had no votes when this vote began, so you cannot vote on it. Votes need RCOMPUTE
              that is delegated before: do so on the governance page, and the next vote counts
              yours.
            </Text>
          )
        }
        return (
          <Stack>
            <Radio.Group label={`Your ${rcompute(votes)}`} value={choice} onChange={setChoice}>
              <Group mt="xs">
                {CHOICES.map(({ value, label }) => (
                  <Radio key={value} value={value} label={label} />
                ))}
              </Group>
            </Radio.Group>
            <Action
              web={web}
              wallet={wallet}
              call={choice === '' ? undefined : call}
              label="Vote"
              onDone={onDone}
              isMain
            >
              All of your votes go one way, everyone can see which, and a vote cannot be changed.
            </Action>
          </Stack>
        )
      }}
    </Loaded>
  )
}

function Queue({ proposal, wallet, web, onDone }: Props) {
  return (
    <Action
      web={web}
      wallet={wallet}
      call={governorCall(web, 'queue', partsOf(proposal))}
      label="Queue it in the timelock"
      onDone={onDone}
      isMain
    >
      Anyone may do this. It then waits in the timelock, so that everyone can see what is coming,
      and can be carried out afterwards.
    </Action>
  )
}

function Execute({ proposal, wallet, web, onDone }: Props) {
  return (
    <Action
      web={web}
      wallet={wallet}
      call={proposal.isExecutable ? governorCall(web, 'execute', partsOf(proposal)) : undefined}
      label={proposal.isExecutable ? 'Carry it out' : 'The timelock is not over yet'}
      onDone={onDone}
      isMain
    >
      Anyone may do this once the timelock is over. The contracts then do what was voted; a
      retirement begins its notice.
    </Action>
  )
}

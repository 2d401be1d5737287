import { NativeSelect, Stack, Text, Textarea, Title } from '@mantine/core'
import { type Address, encodeFunctionData } from 'viem'
import { computeGovernorAbi, modelRegistryAbi } from '../../../../chain/abi.ts'
import type { WebConfig } from '../../../api.ts'
import type { ListedModel, Voter } from '../../chain/governance.ts'
import { rcompute } from '../../chain/said.ts'
import { useUnfinished } from '../../session/unfinished.ts'
import { Action } from '../../wallet/action.tsx'

interface Props {
  readonly wallet: Address
  readonly web: WebConfig
  readonly voter: Voter
  /** Votes that a proposer needs. */
  readonly threshold: bigint
  readonly models: readonly ListedModel[]
}

const LISTED = { call: 'retire', verb: 'Retire' } as const
const RETIRING = { call: 'cancelRetirement', verb: 'Keep' } as const

export function Propose({ wallet, web, voter, threshold, models }: Props) {
  const [model = '', setModel] = useUnfinished<string>('model of a proposal')
  const [why = '', setWhy] = useUnfinished<string>('why of a proposal')
  const open = models.filter(({ status }) => status !== 'Retired')
  const chosen = open.find(({ id }) => id === model)
  const { call, verb } = chosen?.status === 'Retiring' ? RETIRING : LISTED
  const mayPropose = voter.votes >= threshold
  const isReady = mayPropose && chosen !== undefined && why.trim() !== ''
  return (
    <section className="card">
      <Title order={3} size="h5" mb="xs">
        Propose
      </Title>
      <Stack>
        {!mayPropose && (
          <Text size="sm">
            A proposal needs {rcompute(threshold)} of votes, and you have {rcompute(voter.votes)}.
            Ask holders to delegate to you, or somebody with more votes to propose it.
          </Text>
        )}
        <NativeSelect
          label="Model"
          value={model}
          onChange={({ currentTarget }) => setModel(currentTarget.value)}
          data={[
            { value: '', label: 'Choose a model' },
            ...open.map(({ id, status }) => ({
              value: id,
              label: status === 'Retiring' ? `${id} (on notice: propose to keep it)` : id,
            })),
          ]}
          maw={480}
        />
        <Textarea
          label="Why"
          description="Everyone reads it with the proposal, for ever"
          value={why}
          onChange={({ currentTarget }) => setWhy(currentTarget.value)}
          rows={3}
          maxLength={1_000}
        />
        <Action
          web={web}
          wallet={wallet}
          call={
            isReady
              ? proposalCall(web, call, chosen.id, `${verb} ${chosen.id}: ${why.trim()}`)
              : undefined
          }
          label={chosen ? `Propose: ${verb.toLowerCase()} ${chosen.id}` : 'Propose'}
          done="Proposed"
          onDone={() => {
            setModel(undefined)
            setWhy(undefined)
          }}
        >
          The vote begins after its delay, so that holders can get ready. Until then you can take
          the proposal back.
        </Action>
      </Stack>
    </section>
  )
}

function proposalCall(
  { contracts }: WebConfig,
  functionName: 'retire' | 'cancelRetirement',
  model: string,
  description: string,
) {
  const calldata = encodeFunctionData({ abi: modelRegistryAbi, functionName, args: [model] })
  return {
    ...{ address: contracts.governor, abi: computeGovernorAbi, functionName: 'propose' },
    args: [[contracts.model_registry], [0n], [calldata], description],
  }
}

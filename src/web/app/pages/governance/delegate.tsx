import { Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import type { Address } from 'viem'
import { rComputeAbi } from '../../../../chain/abi.ts'
import type { WebConfig } from '../../../api.ts'
import type { Voter } from '../../chain/governance.ts'
import { rcompute } from '../../chain/said.ts'
import { short } from '../../parts/words.ts'
import { typedAddress, wrongAddress } from '../../parts/wrong-address.ts'
import { Action } from '../../wallet/action.tsx'

interface Props {
  readonly wallet: Address
  readonly web: WebConfig
  readonly voter: Voter
}

export function Delegate({ wallet, web, voter }: Props) {
  const [to, setTo] = useState<string>(wallet)
  const who = typedAddress(to)
  const isOther = who !== undefined && who !== voter.delegate
  const call = {
    ...{ address: web.contracts.r_compute, abi: rComputeAbi },
    ...{ functionName: 'delegate', args: [who] },
  }
  return (
    <section className="card">
      <Title order={3} size="h5" mb="xs">
        Your votes
      </Title>
      <Stack>
        <Text size="sm">
          You hold <strong>{rcompute(voter.balance)}</strong> and can vote with{' '}
          <strong>{rcompute(voter.votes)}</strong>. {whoVotes(voter, wallet)}
        </Text>
        <TextInput
          label="Who votes with your RCOMPUTE"
          description={who === wallet ? 'You yourself' : 'Somebody you trust'}
          value={to}
          onChange={({ currentTarget }) => setTo(currentTarget.value.trim())}
          error={wrongAddress(to)}
          maw={480}
        />
        <Action
          web={web}
          wallet={wallet}
          call={isOther ? call : undefined}
          label={who === wallet ? 'Vote myself' : `Let ${short(to)} vote`}
          done="Your votes are delegated"
        >
          A balance votes only once its owner has said who votes with it, be it the owner. Your
          tokens stay yours and you can change this at any time. It counts for votes that begin
          afterwards, not for one that is under way.
        </Action>
      </Stack>
    </section>
  )
}

function whoVotes({ delegate, balance }: Voter, wallet: Address): string {
  if (delegate === wallet) return 'You vote yourself.'
  if (delegate) return `${short(delegate)} votes with what you hold.`
  return balance > 0n
    ? 'Nobody votes with what you hold: delegate it, to yourself for one.'
    : 'RCOMPUTE comes from the treasury, or from its other holders.'
}

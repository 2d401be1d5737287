import { Stack, Text, TextInput, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Address } from 'viem'
import { jobEscrowAbi, workerStakingAbi } from '../../../../chain/abi.ts'
import type { WebConfig } from '../../../api.ts'
import { exactRcompute, rcompute } from '../../chain/said.ts'
import type { WorkerMoney } from '../../chain/workers.ts'
import { unitsOfText } from '../../parts/token-units.ts'
import { Tokens } from '../../parts/tokens.tsx'
import { short, usdgOfUnits } from '../../parts/words.ts'
import { typedAddress, wrongAddress } from '../../parts/wrong-address.ts'
import { Action } from '../../wallet/action.tsx'
import { AnyWallet } from '../../wallet/any-wallet.tsx'
import { TestFunds } from '../../wallet/test-funds.tsx'
import { StakeMore } from './stake-more.tsx'

interface Props {
  readonly worker: WorkerMoney
  readonly wallet: Address
  readonly web: WebConfig
}

export function Actions({ worker }: { readonly worker: WorkerMoney }) {
  return (
    <AnyWallet>
      {(wallet, web) => (
        <>
          {web.development && <TestFunds wallet={wallet} />}
          <Claim worker={worker} wallet={wallet} web={web} />
          {!worker.hasLeft && <StakeMore worker={worker} wallet={wallet} web={web} />}
          <Unstake worker={worker} wallet={wallet} web={web} />
          <Withdraw worker={worker} wallet={wallet} web={web} />
          <Payee worker={worker} wallet={wallet} web={web} />
        </>
      )}
    </AnyWallet>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="card">
      <Title order={2} size="h4" mb="xs">
        {title}
      </Title>
      <Stack>{children}</Stack>
    </section>
  )
}

const stakingCall = (web: WebConfig, functionName: string, args: readonly unknown[]) => ({
  ...{ address: web.contracts.worker_staking, abi: workerStakingAbi, functionName, args },
})

function Claim({ worker, wallet, web }: Props) {
  const hasSome = worker.claimableUnits > 0n
  const call = { address: web.contracts.job_escrow, abi: jobEscrowAbi, functionName: 'claim' }
  return (
    <Part title="Claim earnings">
      <Action
        web={web}
        wallet={wallet}
        call={hasSome ? { ...call, args: [worker.id] } : undefined}
        label={hasSome ? `Pay out ${usdgOfUnits(worker.claimableUnits)}` : 'Nothing to pay out yet'}
        done="Earnings paid out"
        isMain
      >
        The contract pays all that can be claimed to the worker’s payee, {short(worker.payee)}.
        Anyone may ask for it; nobody else can receive it. From the worker’s machine:{' '}
        <span className="mono">npm run worker -- claim</span>.
      </Action>
    </Part>
  )
}

function Unstake({ worker, wallet, web }: Props) {
  const [text, setText] = useState('')
  const amount = unitsOfText(text)
  const isTooMuch = amount !== undefined && amount > worker.active
  const isReady = amount !== undefined && !isTooMuch
  if (wallet !== worker.payee && wallet !== worker.signer) {
    return (
      <Part title="Take stake out">
        <Text size="sm">
          Only the payee, {short(worker.payee)}, and the worker’s own key may take stake out. With
          that key: <span className="mono">npm run worker -- unstake all</span>.
        </Text>
      </Part>
    )
  }
  return (
    <Part title="Take stake out">
      <Tokens
        label="RCOMPUTE to take out"
        description={`At stake: ${rcompute(worker.active)}`}
        value={text}
        change={setText}
        fault={isTooMuch ? `At stake are ${exactRcompute(worker.active)}.` : null}
      />
      <Action
        web={web}
        wallet={wallet}
        call={isReady ? stakingCall(web, 'requestUnstake', [worker.id, amount]) : undefined}
        label={isReady ? `Begin to take ${exactRcompute(amount)} out` : 'Begin to take it out'}
        done="The seven days have begun"
        onDone={() => setText('')}
      >
        It leaves after seven days, to {short(worker.payee)}. Until then it no longer counts for the
        higher share, and can still be lost to a fault.
        {worker.unbonding > 0n &&
          !worker.isUnstaked &&
          ' What is on its way out already begins its seven days anew.'}
      </Action>
    </Part>
  )
}

function Withdraw({ worker, wallet, web }: Props) {
  const isDue = worker.unbonding > 0n && worker.isUnstaked
  return (
    <Part title="Pay out stake whose seven days are over">
      <Action
        web={web}
        wallet={wallet}
        call={isDue ? stakingCall(web, 'withdraw', [worker.id]) : undefined}
        label={isDue ? `Pay out ${rcompute(worker.unbonding)}` : notDue(worker)}
        done="Stake paid out"
      >
        It is paid to the payee, {short(worker.payee)}. Anyone may ask for it.
      </Action>
    </Part>
  )
}

const notDue = ({ unbonding }: WorkerMoney): string =>
  unbonding > 0n ? 'The seven days are not over' : 'Nothing is on its way out'

function Payee({ worker, wallet, web }: Props) {
  const [text, setText] = useState('')
  const payee = typedAddress(text)
  if (wallet !== worker.signer) {
    return (
      <Part title="Where it is paid">
        <Text size="sm">
          To {short(worker.payee)}. Only the worker’s own key, {short(worker.signer)}, may change
          that: open this page with that key in a wallet. A new worker names its payee when it
          registers: <span className="mono">npm run worker -- --payee 0x…</span>.
        </Text>
      </Part>
    )
  }
  return (
    <Part title="Where it is paid">
      <TextInput
        label="New payee"
        description="Check every digit: what is paid there is theirs"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value.trim())}
        error={text !== '' && wrongAddress(text)}
        maw={480}
      />
      <Action
        web={web}
        wallet={wallet}
        call={payee && stakingCall(web, 'setPayee', [worker.id, payee])}
        label="Change the payee"
        done="The payee is changed"
        onDone={() => setText('')}
      >
        Earnings and stake that are not paid out yet go there, too.
      </Action>
    </Part>
  )
}

import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Address } from 'viem'
import { rComputeAbi } from '../../../../chain/abi.ts'
import type { WebConfig } from '../../../api.ts'
import { readerOf } from '../../chain/reader.ts'
import { exactRcompute, rcompute } from '../../chain/said.ts'
import type { WorkerMoney } from '../../chain/workers.ts'
import { Problem } from '../../parts/problem.tsx'
import { unitsOfText } from '../../parts/token-units.ts'
import { Tokens } from '../../parts/tokens.tsx'
import { short } from '../../parts/words.ts'
import { Action } from '../../wallet/action.tsx'
import { stake } from '../../wallet/stake.ts'

interface Props {
  readonly worker: WorkerMoney
  readonly wallet: Address
  readonly web: WebConfig
}

export function StakeMore({ worker, wallet, web }: Props) {
  const [text, setText] = useState('')
  const balance = useQuery({
    queryKey: ['chain', 'rcompute', wallet],
    queryFn: () =>
      readerOf(web).readContract({
        ...{ address: web.contracts.r_compute, abi: rComputeAbi },
        ...{ functionName: 'balanceOf', args: [wallet] },
      }),
  })
  const amount = unitsOfText(text)
  const isTooMuch = amount !== undefined && balance.data !== undefined && amount > balance.data
  const isReady = amount !== undefined && balance.data !== undefined && !isTooMuch
  const isOthers = wallet !== worker.payee && wallet !== worker.signer
  return (
    <section className="card">
      <Title order={2} size="h4" mb="xs">
        Stake
      </Title>
      <Stack>
        <Tokens
          label="RCOMPUTE to stake"
          description={`Your wallet holds ${balance.data === undefined ? '…' : rcompute(balance.data)}`}
          value={text}
          change={setText}
          fault={isTooMuch ? `Your wallet holds ${exactRcompute(balance.data)}.` : null}
        />
        {balance.error && <Problem error={balance.error} retry={() => void balance.refetch()} />}
        <Action
          web={web}
          wallet={wallet}
          call={undefined}
          {...(isReady && {
            run: (config, say) => stake(config, { web, wallet, workerId: worker.id, amount }, say),
          })}
          label={isReady ? `Stake ${exactRcompute(amount)}` : 'Stake'}
          done="Staked"
          onDone={() => setText('')}
        >
          You sign a permit for exactly this amount and confirm one transaction. The stake is then
          the worker’s: it comes back only to its payee, {short(worker.payee)}, seven days after it
          is taken out, and a fault costs {worker.slashPercent} % of it. Staked RCOMPUTE does not
          vote.
          {isOthers && ' Careful: this is not your worker, so you would give the stake away.'}
        </Action>
      </Stack>
    </section>
  )
}

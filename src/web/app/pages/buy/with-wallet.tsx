import { Button, List, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useConfig, useReadContract } from 'wagmi'
import { devUsdgAbi } from '../../../../chain/abi.ts'
import type { WebConfig } from '../../../api.ts'
import { ApiFailure } from '../../api/failure.ts'
import { Amount } from '../../parts/amount.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Done, Progress } from '../../parts/progress.tsx'
import { TxLink } from '../../parts/tx-link.tsx'
import { wholeNumber } from '../../parts/typed-number.ts'
import { credits, usdgOfCredits, usdgOfUnits } from '../../parts/words.ts'
import { useUnfinishedText } from '../../session/unfinished.ts'
import { buyCredits, canSign } from '../../wallet/purchase.ts'
import { TestFunds } from '../../wallet/test-funds.tsx'
import { useTransaction } from '../../wallet/use-transaction.ts'

const PRESETS = [100, 1_000, 10_000].map((count) => ({
  label: count.toLocaleString('en'),
  credits: count,
}))

interface Props {
  readonly wallet: `0x${string}`
  readonly web: WebConfig
}

export function WithWallet({ wallet, web }: Props) {
  const config = useConfig()
  const { text: amount, type: setAmount, done } = useUnfinishedText('credits to buy', '1,000')
  const count = wholeNumber(amount)
  // What nobody has typed is not marked as wrong: it is said below what is missing.
  const [isChosen, setChosen] = useState(false)
  const balance = useReadContract({
    address: web.contracts.usdg,
    abi: devUsdgAbi,
    functionName: 'balanceOf',
    args: [wallet],
    query: { refetchInterval: 15_000 },
  })
  const signs = useQuery({
    queryKey: ['can-sign', wallet],
    queryFn: () => canSign(config, wallet),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [relayed, setRelayed] = useState(web.relays_deposits)
  const buy = useTransaction({
    ...{ web, wallet, what: (count: number) => `Buy ${credits(count)}` },
    run: (config, credits, say) => buyCredits(config, { web, wallet, credits, relayed }, say),
    onSent: done,
  })
  if (signs.data === false) {
    return (
      <Text>
        Your wallet is a contract, and the token takes no signatures of contracts. Use the other
        tab: send the amount to your deposit address.
      </Text>
    )
  }
  const fault = faultOf(count, web, balance.data)
  return (
    <Stack className="card">
      {balance.error && <Problem error={balance.error} retry={() => void balance.refetch()} />}
      <Text size="sm">
        Your wallet holds{' '}
        <strong className="numbers">
          {balance.data === undefined ? '…' : usdgOfUnits(balance.data)}
        </strong>
        .
      </Text>
      {web.development && <TestFunds wallet={wallet} />}
      <Amount
        label="Credits to buy"
        value={amount}
        change={(next) => {
          setChosen(true)
          setAmount(next)
        }}
        fault={isChosen ? fault : null}
        presets={PRESETS}
        disabled={buy.isPending}
      />
      {fault && !isChosen && (
        <Text size="sm" role="status">
          {fault}
        </Text>
      )}
      <WhatHappens web={web} relayed={relayed} />
      <div>
        <Button
          size="md"
          disabled={count === undefined || fault !== null || balance.data === undefined}
          loading={buy.isPending}
          onClick={() => count !== undefined && buy.mutate(count)}
        >
          {count === undefined
            ? 'Buy credits'
            : `${relayed ? 'Sign to buy' : 'Buy'} ${credits(count)} for ${usdgOfCredits(count)}`}
        </Button>
      </div>
      <Progress text={buy.said} />
      {buy.error && <Problem error={buy.error} />}
      {relayed && buy.error instanceof ApiFailure && (
        <div>
          <Button variant="default" onClick={() => setRelayed(false)}>
            Let my wallet send it instead
          </Button>
        </div>
      )}
      {buy.data && (
        <Done title={`Bought ${credits(buy.variables)}`}>
          Your balance follows as soon as the chain has confirmed it. <TxLink hash={buy.data} />
        </Done>
      )}
    </Stack>
  )
}

function WhatHappens({ web, relayed }: { readonly web: WebConfig; readonly relayed: boolean }) {
  return (
    <div>
      <Title order={2} size="h6" mb={4}>
        What happens next
      </Title>
      <List type="ordered" size="sm" className="muted">
        {relayed ? (
          <>
            <List.Item>Your wallet shows what you pay, and to whom. You sign once.</List.Item>
            <List.Item>
              We send the payment to the chain and pay the network fee; it costs you nothing more.
            </List.Item>
          </>
        ) : (
          <>
            <List.Item>
              You sign a permit for exactly this amount, unless you have signed its payment already.
            </List.Item>
            <List.Item>
              You confirm one transaction in your wallet, which shows the network fee in{' '}
              {web.chain.coin.symbol}.
            </List.Item>
          </>
        )}
        <List.Item>The credits are yours as soon as the chain has confirmed the payment.</List.Item>
      </List>
    </div>
  )
}

function faultOf(
  count: number | undefined,
  { minimum_purchase_credits: minimum, units_per_credit }: WebConfig,
  units: bigint | undefined,
): string | null {
  if (count === undefined) return null
  if (count < minimum) return `At least ${credits(minimum)}: the contract takes no less at once.`
  if (units !== undefined && BigInt(count) * BigInt(units_per_credit) > units) {
    return `Your wallet holds ${usdgOfUnits(units)}, and this costs ${usdgOfCredits(count)}. Money that is elsewhere comes with “QR or transfer”.`
  }
  return null
}

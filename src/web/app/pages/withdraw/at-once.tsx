import { Button, List, Stack, TextInput } from '@mantine/core'
import { Amount } from '../../parts/amount.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Done, Progress } from '../../parts/progress.tsx'
import { TxLink } from '../../parts/tx-link.tsx'
import { wholeNumber } from '../../parts/typed-number.ts'
import { credits, short, usdgOfCredits } from '../../parts/words.ts'
import { wrongAddress } from '../../parts/wrong-address.ts'
import { useUnfinishedText } from '../../session/unfinished.ts'
import { useIsSent } from '../../wallet/use-sent.ts'
import { useTransaction } from '../../wallet/use-transaction.ts'
import { isWished, openWish, permittedWish } from '../../wallet/wish.ts'
import { type WithdrawNow, withdrawNow } from '../../wallet/withdrawal.ts'
import { withdrawalFault } from './amount-fault.ts'
import { ConfirmInTime, KeptForWish } from './kept-for-wish.tsx'
import type { WithdrawProps } from './withdraw-props.ts'

export function AtOnce({ wallet, web, account }: WithdrawProps) {
  const available = account.credits_remaining
  const { text: amount, type: setAmount, done } = useUnfinishedText('credits to withdraw', '')
  const { text: to, type: setTo, done: doneTo } = useUnfinishedText('withdraw to', wallet)
  const withdraw = useTransaction({
    ...{ web, wallet, what: (input: WithdrawNow) => `Withdraw ${credits(input.credits)}` },
    run: (config, input, say) => withdrawNow(config, { web, wallet, ...input }, say),
    onSent: () => {
      done()
      doneTo()
    },
  })
  const count = wholeNumber(amount)
  const open = openWish(wallet)
  const permitted = permittedWish(wallet)
  const isSent = useIsSent(open?.requestId)
  // In one case: the same address in another would be another withdrawal, and one in capitals is none to the library.
  const payTo = to.toLowerCase() as `0x${string}`
  const isAgain = count !== undefined && isWished({ wallet, credits: count, to: payTo })
  const fault = isAgain ? null : withdrawalFault(count, available)
  const addressFault = wrongAddress(to)
  const ready = count !== undefined && !fault && !addressFault
  const submit = () => {
    if (!ready) return
    withdraw.mutate({ credits: count, to: payTo }, { onSuccess: () => setAmount('') })
  }
  return (
    <Stack className="card">
      {open && !isSent && !withdraw.isPending && (
        <KeptForWish
          wish={open}
          send={() => withdraw.mutate(open, { onSuccess: () => setAmount('') })}
        />
      )}
      <Amount
        label="Credits to withdraw"
        value={amount}
        change={setAmount}
        fault={fault}
        presets={[{ label: 'All available', credits: available }]}
        disabled={withdraw.isPending}
      />
      <TextInput
        label="Pay to"
        description={to === wallet ? 'Your own wallet' : 'Another address: check every digit'}
        value={to}
        onChange={({ currentTarget }) => setTo(currentTarget.value.trim())}
        error={addressFault}
        maw={480}
        disabled={withdraw.isPending}
      />
      <List type="ordered" size="sm" className="muted">
        <List.Item>
          We give you a permission for exactly this withdrawal, for some minutes. No fee. Where
          several people have to confirm, take “Without us”, which leaves the time.
        </List.Item>
        <List.Item>
          You confirm one transaction in your wallet, which shows the network fee in{' '}
          {web.chain.coin.symbol}.
        </List.Item>
        <List.Item>The contract pays the USDG in the same block.</List.Item>
      </List>
      <div>
        <Button size="md" disabled={!ready} loading={withdraw.isPending} onClick={submit}>
          {count === undefined
            ? 'Withdraw'
            : `Withdraw ${credits(count)} as ${usdgOfCredits(count)}`}
        </Button>
      </div>
      <Progress text={withdraw.said} />
      {permitted && withdraw.isSigning && <ConfirmInTime wish={permitted} />}
      {withdraw.error && <Problem error={withdraw.error} />}
      {withdraw.data && (
        <Done title={`Paid ${usdgOfCredits(withdraw.variables.credits)}`}>
          To {short(withdraw.variables.to)}. <TxLink hash={withdraw.data} />
        </Done>
      )}
    </Stack>
  )
}

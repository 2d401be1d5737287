import { Button, Group, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { WebThawing } from '../../../api.ts'
import { Amount } from '../../parts/amount.tsx'
import { Countdown, useNow } from '../../parts/countdown.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Done, Progress } from '../../parts/progress.tsx'
import { TxLink } from '../../parts/tx-link.tsx'
import { wholeNumber } from '../../parts/typed-number.ts'
import { credits, usdgOfCredits } from '../../parts/words.ts'
import { useUnfinishedText } from '../../session/unfinished.ts'
import type { TxHash } from '../../wallet/transact.ts'
import { useTransaction } from '../../wallet/use-transaction.ts'
import { beginWithdrawal, cancelWithdrawal, completeWithdrawal } from '../../wallet/withdrawal.ts'
import { withdrawalFault } from './amount-fault.ts'
import { isSetAside, type WithdrawProps } from './withdraw-props.ts'

export function OnYourOwn(props: WithdrawProps) {
  // What was set aside is gone once it is paid, and with it the place to say so.
  const { thawing } = props.account
  const [paid, setPaid] = useState<{ readonly credits: number; readonly tx: TxHash }>()
  return (
    <Stack>
      <Text className="muted" maw={640}>
        The contract also pays out without our consent, after a waiting time. Use it if the other
        way does not work. It takes two transactions of your wallet: one now, one when the time is
        over.
      </Text>
      {thawing === null && (
        <Text role="status">
          The settlement chain does not answer at the moment: whether credits are set aside already
          is not known until it does.
        </Text>
      )}
      {thawing !== null && thawing.credits > 0 && (
        <Under {...props} thawing={thawing} onPaid={(credits, tx) => setPaid({ credits, tx })} />
      )}
      {paid && (
        <Done title={`Paid ${usdgOfCredits(paid.credits)}`}>
          It is in your wallet. <TxLink hash={paid.tx} />
        </Done>
      )}
      <Begin {...props} />
    </Stack>
  )
}

function Begin({ wallet, web, account }: WithdrawProps) {
  const { text: amount, type: setAmount, done } = useUnfinishedText('credits to set aside', '')
  const count = wholeNumber(amount)
  const begin = useTransaction({
    ...{ web, wallet, what: (count: number) => `Set ${credits(count)} aside` },
    run: (config, credits, say) => beginWithdrawal(config, { web, wallet, credits }, say),
    onSent: done,
  })
  const fault = withdrawalFault(count, account.credits_remaining)
  return (
    <Stack className="card">
      <Amount
        label={isSetAside(account) ? 'More credits to set aside' : 'Credits to set aside'}
        value={amount}
        change={setAmount}
        fault={fault}
        presets={[{ label: 'All available', credits: account.credits_remaining }]}
        disabled={begin.isPending}
      />
      <List type="ordered" size="sm" className="muted">
        <List.Item>
          You confirm a transaction; the network fee in {web.chain.coin.symbol} is shown by your
          wallet. From then on no job can spend these credits.
        </List.Item>
        <List.Item>
          You wait. A countdown appears here
          {isSetAside(account) ? '; adding more starts it anew for all of it' : ''}.
        </List.Item>
        <List.Item>You confirm a second transaction, and the contract pays the USDG.</List.Item>
      </List>
      <div>
        <Button
          disabled={count === undefined || fault !== null}
          loading={begin.isPending}
          onClick={() =>
            count !== undefined && begin.mutate(count, { onSuccess: () => setAmount('') })
          }
        >
          {count === undefined ? 'Set aside' : `Set ${credits(count)} aside`}
        </Button>
      </div>
      <Progress text={begin.said} />
      {begin.error && <Problem error={begin.error} />}
      {begin.data && (
        <Done title={`Set aside ${credits(begin.variables)}`}>
          The countdown shows within seconds. <TxLink hash={begin.data} />
        </Done>
      )}
    </Stack>
  )
}

interface UnderProps extends Omit<WithdrawProps, 'account'> {
  readonly thawing: WebThawing
  readonly onPaid: (credits: number, tx: TxHash) => void
}

function Under({ wallet, web, thawing, onPaid }: UnderProps) {
  const complete = useTransaction({
    ...{ web, wallet, what: () => `Pay ${usdgOfCredits(thawing.credits)} to my wallet` },
    run: async (config, _: undefined, say) => {
      const tx = await completeWithdrawal(config, { web, wallet, to: wallet }, say)
      // Not by the mutation's own callback, which is skipped once this card is gone.
      onPaid(thawing.credits, tx)
      return tx
    },
  })
  const cancel = useTransaction({
    ...{ web, wallet, what: () => 'Cancel and make them available again' },
    run: (config, _: undefined, say) => cancelWithdrawal(config, { web, wallet }, say),
  })
  const endsAt = thawing.ends_at ?? new Date(0).toISOString()
  const over = useNow(Date.parse(endsAt)) >= Date.parse(endsAt)
  const busy = complete.isPending || cancel.isPending
  return (
    <Stack className="card" role="group" aria-label="Withdrawal under way">
      <Text fw={600}>
        {credits(thawing.credits)} set aside, worth {usdgOfCredits(thawing.credits)}
      </Text>
      <Text>
        Can be taken out <Countdown until={endsAt} done="now" />
      </Text>
      <Group>
        <Button
          disabled={!over || busy}
          loading={complete.isPending}
          onClick={() => complete.mutate(undefined)}
        >
          Pay {usdgOfCredits(thawing.credits)} to my wallet
        </Button>
        <Button
          variant="default"
          disabled={busy}
          loading={cancel.isPending}
          onClick={() => cancel.mutate(undefined)}
        >
          Cancel and make them available again
        </Button>
      </Group>
      <Progress text={complete.said ?? cancel.said} />
      {(complete.error ?? cancel.error) && <Problem error={complete.error ?? cancel.error} />}
    </Stack>
  )
}

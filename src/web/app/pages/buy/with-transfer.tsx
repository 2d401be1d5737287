import { Alert, Anchor, Group, List, Stack, Text, Title } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { QRCodeSVG } from 'qrcode.react'
import { useRef, useState } from 'react'
import type { DepositAddress, Movement, WebConfig } from '../../../api.ts'
import { call } from '../../api/call.ts'
import { isPaidWith, Moved } from '../../api/moved.ts'
import { accountQuery, depositAddressQuery } from '../../api/queries.ts'
import { Amount } from '../../parts/amount.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { missingCredits } from '../../parts/missing-credits.ts'
import { Problem } from '../../parts/problem.tsx'
import { Done, Progress } from '../../parts/progress.tsx'
import { AddressLink } from '../../parts/tx-link.tsx'
import { wholeNumber } from '../../parts/typed-number.ts'
import { credits, USDG_PER_CREDIT } from '../../parts/words.ts'
import { paymentLink } from './payment-link.ts'

const LOOK_MS = 3_000

export function WithTransfer({ web }: { readonly web: WebConfig }) {
  const address = useQuery({ ...depositAddressQuery, refetchInterval: LOOK_MS })
  return (
    <Loaded query={address} lines={5}>
      {(deposit) =>
        isPaidWith(web, deposit) ? (
          <Transfer deposit={deposit} web={web} />
        ) : (
          <Problem error={new Moved('The service has moved to other contracts.')} />
        )
      }
    </Loaded>
  )
}

function Transfer({ deposit, web }: { readonly deposit: DepositAddress; readonly web: WebConfig }) {
  const [typed, setTyped] = useState('1,000')
  const amount = wholeNumber(typed)
  const tooFew = amount !== undefined && amount < deposit.minimum_credits
  const link = paymentLink({
    token: web.contracts.usdg,
    chainId: web.chain.id,
    to: deposit.address,
    units: amount === undefined ? undefined : BigInt(amount) * BigInt(web.units_per_credit),
  })
  const text = amount === undefined ? '' : (amount * USDG_PER_CREDIT).toFixed(2)
  return (
    <Group align="start" gap="xl" className="card">
      <Stack gap="sm" flex="1 1 320px">
        <Amount
          label="Credits to buy"
          value={typed}
          change={setTyped}
          fault={
            tooFew
              ? `Less than ${credits(deposit.minimum_credits)} waits at the address until more arrives.`
              : null
          }
          presets={[100, 1_000, 10_000].map((n) => ({ label: n.toLocaleString('en'), credits: n }))}
        />
        <Field
          label={`Your deposit address on ${web.chain.name}`}
          text={deposit.address}
          what="deposit address"
        />
        {text !== '' && <Field label="Amount in USDG" text={text} what="amount" />}
        <Title order={2} size="h6">
          What happens next
        </Title>
        <List type="ordered" size="sm" className="muted">
          <List.Item>
            Send USDG on {web.chain.name}, from any wallet or exchange. The sender pays the network
            fee.
          </List.Item>
          <List.Item>We see it arrive and turn it into credits of your wallet. No fee.</List.Item>
          <List.Item>
            The address is yours alone and stays the same. Anything else sent to it, you can take
            back.
          </List.Item>
        </List>
      </Stack>
      <Stack align="center" gap="xs" flex="0 1 260px" mx="auto">
        <div className="qr">
          <QRCodeSVG value={link} size={220} title={`Payment code for ${deposit.address}`} />
        </div>
        <Anchor href={link} size="sm">
          Open in a wallet on this device
        </Anchor>
        <AddressLink address={deposit.address} label="The address in the explorer" />
      </Stack>
      <Arrival deposit={deposit} />
    </Group>
  )
}

function Field(field: { readonly label: string; readonly text: string; readonly what: string }) {
  return (
    <div>
      <Text size="sm" fw={600}>
        {field.label}
      </Text>
      <Group gap="xs">
        <span className="mono">{field.text}</span>
        <CopyButton text={field.text} what={field.what} />
      </Group>
    </div>
  )
}

const NEWEST = 20

/** The transaction of the last purchase; null: there is none among the newest movements. */
const newestPurchaseQuery = queryOptions({
  queryKey: ['movements', 'newest purchase'],
  queryFn: async () => {
    const { data } = await call<{ readonly data: readonly Movement[] }>(
      'GET',
      `/account/movements?limit=${NEWEST}`,
    )
    return data.find(({ type }) => type === 'purchase')?.tx ?? null
  },
})

/** What has come since this page was opened. */
function Arrival({ deposit }: { readonly deposit: DepositAddress }) {
  const { data: account } = useQuery({ ...accountQuery, refetchInterval: LOOK_MS })
  const { data: newest, isFetchedAfterMount } = useQuery({
    ...newestPurchaseQuery,
    refetchInterval: LOOK_MS,
  })
  // By its transaction: two purchases may share the second that `last_topup_at` tells.
  const before = useRef<string | null | undefined>(undefined)
  // What is remembered of an earlier page may be older than the last purchase.
  if (before.current === undefined && newest !== undefined && isFetchedAfterMount) {
    before.current = newest
  }
  const pending = deposit.pending_credits
  const missing = missingCredits(pending, deposit.minimum_credits)
  if (missing > 0) {
    return (
      <Alert
        color="yellow"
        w="100%"
        role="status"
        title={`${credits(pending)} have arrived and wait`}
      >
        The smallest purchase is {credits(deposit.minimum_credits)}. Send at least{' '}
        {credits(missing)} more and all of it is credited.
      </Alert>
    )
  }
  if (pending > 0)
    return <Progress text={`${credits(pending)} have arrived and are being credited…`} />
  if (before.current === undefined) return <Progress text="Looking at your balance…" />
  if (account && newest !== undefined && before.current !== newest) {
    return (
      <div style={{ width: '100%' }}>
        <Done title="Your transfer has been credited">
          You now have {credits(account.credits_remaining)}.
        </Done>
      </div>
    )
  }
  return <Progress text="Waiting for your transfer. You may also leave this page." />
}

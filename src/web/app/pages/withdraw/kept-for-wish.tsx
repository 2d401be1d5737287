import { Alert, Button, Group, Text } from '@mantine/core'
import { useNow } from '../../parts/countdown.tsx'
import { credits, short, span } from '../../parts/words.ts'
import type { OpenWish } from '../../wallet/wish.ts'

const MS = 1_000

/** Where the credits are that a withdrawal took which was declined or failed, and how to have them. */
export function KeptForWish({
  wish,
  send,
}: {
  readonly wish: OpenWish
  readonly send: () => void
}) {
  const end = wish.deadline * MS
  const now = useNow(end)
  if (now >= end) return null
  return (
    <Alert color="yellow" title={`${credits(wish.credits)} are kept for the withdrawal you began`}>
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          To {short(wish.to)}. Send it now, or wait: they come free in{' '}
          <span className="numbers">{span(end - now)}</span>.
        </Text>
        <Button size="xs" variant="default" onClick={send}>
          Send it now
        </Button>
      </Group>
    </Alert>
  )
}

/** While the wallet shows the withdrawal: how long the permission for it is good. */
export function ConfirmInTime({ wish }: { readonly wish: OpenWish }) {
  const end = wish.deadline * MS
  const now = useNow(end)
  return (
    <Text size="sm" className="muted">
      {now < end ? (
        <>
          The permission is good for <span className="numbers">{span(end - now)}</span> more.
        </>
      ) : (
        'The permission is over, and the contract would refuse it: decline it in your wallet and withdraw again.'
      )}
    </Text>
  )
}

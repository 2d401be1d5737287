import { Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { WebWebhook } from '../../../webhook-api.ts'
import { call } from '../../api/call.ts'
import { deliveriesQuery } from '../../api/queries.ts'
import { Problem } from '../../parts/problem.tsx'
import { EVENT_NAMES } from './events.ts'

export function SendTest({ webhook }: { readonly webhook: WebWebhook }) {
  const client = useQueryClient()
  const [event, setEvent] = useState<string>(webhook.events[0] ?? EVENT_NAMES[0]!)
  const send = useMutation({
    mutationFn: () =>
      call<unknown>('POST', `/webhooks/${encodeURIComponent(webhook.id)}/test`, { event }),
    onSuccess: () => client.invalidateQueries({ queryKey: deliveriesQuery(webhook.id).queryKey }),
  })
  return (
    <Stack className="card" gap="xs">
      <Title order={2} size="h5">
        Send a test event
      </Title>
      <Text size="sm" className="muted">
        One made-up event, sent once and at once, whatever this webhook listens to. It is free, and
        a failure does not count against the webhook.
      </Text>
      <Group align="end">
        <NativeSelect
          label="Event"
          data={[...EVENT_NAMES]}
          value={event}
          onChange={({ currentTarget }) => setEvent(currentTarget.value)}
        />
        <Button loading={send.isPending} onClick={() => send.mutate()}>
          Send test
        </Button>
      </Group>
      <Text size="sm" role="status">
        {send.isSuccess ? 'Sent. What your server answered shows below within seconds.' : ''}
      </Text>
      {send.error && <Problem error={send.error} />}
    </Stack>
  )
}

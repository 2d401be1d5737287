import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { WebWebhook } from '../../../webhook-api.ts'
import { call } from '../../api/call.ts'
import { webhooksQuery } from '../../api/queries.ts'
import { Back } from '../../parts/back.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { dateTime } from '../../parts/words.ts'
import { Private } from '../../session/private.tsx'
import { Deliveries } from './deliveries.tsx'
import { ReplaySpan } from './replay-span.tsx'
import { SendTest } from './send-test.tsx'
import { WebhookStatus } from './webhooks.tsx'

const LOOK_MS = 3_000

export function WebhookPage() {
  return <Private title="Webhook">{() => <Webhook />}</Private>
}

function Webhook() {
  const { id = '' } = useParams({ strict: false })
  // It may fail while somebody looks on.
  const webhooks = useQuery({ ...webhooksQuery, refetchInterval: LOOK_MS })
  return (
    <Page title="Webhook">
      <Back to="/webhooks" list="All webhooks" />
      <Loaded query={webhooks}>
        {(list) => {
          const webhook = list.find((each) => each.id === id)
          return webhook ? <Details webhook={webhook} /> : <Gone />
        }}
      </Loaded>
    </Page>
  )
}

function Gone() {
  return <Text>This wallet has no such webhook. It may have been deleted.</Text>
}

function Details({ webhook }: { readonly webhook: WebWebhook }) {
  return (
    <>
      <Stack className="card" gap="xs">
        <Group justify="space-between">
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {webhook.url}
          </Text>
          <WebhookStatus status={webhook.status} />
        </Group>
        <Text size="sm" className="muted">
          <span className="mono">{webhook.id}</span> · created {dateTime(webhook.created_at)}
        </Text>
        <Text size="sm">{webhook.events.join(', ')}</Text>
        {webhook.status === 'failed' && <Enable webhook={webhook} />}
        <Delete webhook={webhook} />
      </Stack>
      <SendTest webhook={webhook} />
      <Deliveries webhook={webhook} />
      <ReplaySpan webhook={webhook} />
    </>
  )
}

const pathOf = ({ id }: WebWebhook) => `/webhooks/${encodeURIComponent(id)}`

function Enable({ webhook }: { readonly webhook: WebWebhook }) {
  const client = useQueryClient()
  const enable = useMutation({
    mutationFn: () => call<WebWebhook>('POST', `${pathOf(webhook)}/enable`),
    onSuccess: () => client.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  })
  return (
    <Alert color="red" variant="light" title="It gets nothing at the moment">
      <Stack gap="xs" align="start">
        <Text size="sm">
          Every attempt to deliver an event failed, the last one too, so we stopped. Put your server
          right, enable the webhook, and replay the time since: what happened meanwhile was not
          sent.
        </Text>
        <Button size="xs" loading={enable.isPending} onClick={() => enable.mutate()}>
          Enable again
        </Button>
        {enable.error && <Problem error={enable.error} />}
      </Stack>
    </Alert>
  )
}

function Delete({ webhook }: { readonly webhook: WebWebhook }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () => call<unknown>('DELETE', pathOf(webhook)),
    onSuccess: async () => {
      await navigate({ to: '/webhooks' })
      await client.invalidateQueries({ queryKey: webhooksQuery.queryKey })
    },
  })
  return (
    <div>
      <Button size="xs" color="red" variant="light" onClick={() => setAsking(true)}>
        Delete
      </Button>
      <Confirm
        opened={asking}
        close={() => setAsking(false)}
        title="Delete this webhook?"
        action="Delete webhook"
        run={() => remove.mutate()}
        busy={remove.isPending}
        error={remove.error}
      >
        Nothing more is sent to {webhook.url}, and what waits for another attempt is dropped.
      </Confirm>
    </div>
  )
}

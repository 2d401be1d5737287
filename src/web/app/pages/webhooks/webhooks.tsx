import { Anchor, Badge, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { WebWebhook } from '../../../webhook-api.ts'
import { webhooksQuery } from '../../api/queries.ts'
import { DocsLink } from '../../parts/docs-link.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { dateTime } from '../../parts/words.ts'
import { Private } from '../../session/private.tsx'
import { unfinishedOf, useUnfinished } from '../../session/unfinished.ts'
import { CreateWebhook } from './create-webhook.tsx'
import { newDraft, type WebhookDraft } from './webhook-draft.ts'

export function WebhooksPage() {
  return <Private title="Webhooks">{() => <Webhooks />}</Private>
}

const DRAFT = 'new webhook'

function Webhooks() {
  const webhooks = useQuery(webhooksQuery)
  const [draft, setDraft] = useUnfinished<WebhookDraft>(DRAFT)
  const close = () => setDraft(undefined)
  const created = ({ id }: WebhookDraft) => {
    if (unfinishedOf<WebhookDraft>(DRAFT)?.id === id) close()
  }
  return (
    <Page
      title="Webhooks"
      lead={
        <>
          We tell your server when something happens: an HTTPS request, signed with your secret,
          tried up to five times over about two and a half hours.{' '}
          <DocsLink page="webhooks-receiving">How to receive them</DocsLink>
        </>
      }
    >
      <div>
        <Button onClick={() => setDraft(newDraft())}>Create a webhook</Button>
      </div>
      {draft && (
        <CreateWebhook
          key={draft.id}
          draft={draft}
          change={setDraft}
          close={close}
          created={created}
        />
      )}
      <Loaded query={webhooks}>
        {(list) =>
          list.length === 0 ? (
            <Text className="muted">You have no webhooks. Creating one is free.</Text>
          ) : (
            <ul className="rows card">
              {list.map((webhook) => (
                <Row key={webhook.id} webhook={webhook} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  )
}

function Row({ webhook }: { readonly webhook: WebWebhook }) {
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <Anchor
          renderRoot={(props) => <Link {...props} to="/webhooks/$id" params={{ id: webhook.id }} />}
          fw={600}
          style={{ overflowWrap: 'anywhere' }}
        >
          {webhook.url}
        </Anchor>
        <WebhookStatus status={webhook.status} />
      </Group>
      <Text size="sm" className="muted">
        {webhook.events.join(', ')} · since {dateTime(webhook.created_at)}
      </Text>
    </li>
  )
}

export function WebhookStatus({ status }: Pick<WebWebhook, 'status'>) {
  return (
    <Badge color={status === 'active' ? 'accent' : 'red'} variant="light">
      {status}
    </Badge>
  )
}

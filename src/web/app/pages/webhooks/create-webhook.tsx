import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import type { WebWebhook } from '../../../webhook-api.ts'
import { call } from '../../api/call.ts'
import { ApiFailure } from '../../api/failure.ts'
import { webhooksQuery } from '../../api/queries.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useFocusBack } from '../../parts/use-focus-back.ts'
import { EVENT_NAMES, EVENTS } from './events.ts'
import type { WebhookDraft } from './webhook-draft.ts'

interface Drafting {
  readonly draft: WebhookDraft
  readonly change: (draft: WebhookDraft) => void
}

interface Props extends Drafting {
  readonly close: () => void
  /** Hears of it also after it was closed, when there may be another draft. */
  readonly created: (sent: WebhookDraft) => void
}

export function CreateWebhook({ draft, change, close, created }: Props) {
  useFocusBack()
  const client = useQueryClient()
  const { url, events, secret, isStored } = draft
  const create = useMutation({
    mutationFn: (sent: WebhookDraft) =>
      call<WebWebhook>('POST', '/webhooks', {
        url: sent.url,
        events: sent.events,
        secret: sent.secret,
      }),
    onSuccess: (_, sent) => created(sent),
    // Without an answer it may be in the list all the same.
    onSettled: () => void client.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate(draft)
  }
  return (
    <Modal
      opened
      onClose={close}
      title="Create a webhook"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit}>
        <Stack>
          <Where draft={draft} change={change} error={create.error} />
          <Secret draft={draft} change={change} error={create.error} />
          <Text size="sm" className="muted">
            Free. Events from now on are sent to this address; you can send a test event right
            after.
          </Text>
          {create.error && <Problem error={create.error} />}
          <Group justify="end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={create.isPending}
              disabled={url === '' || events.length === 0 || secret === '' || !isStored}
            >
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

interface PartProps extends Drafting {
  /** Of the last try. */
  readonly error: Error | null
}

const refusalOf = (param: string, error: Error | null): string | undefined =>
  error instanceof ApiFailure && error.param === param ? error.message : undefined

/** Where to, and of what. */
function Where({ draft, change, error }: PartProps) {
  return (
    <>
      <TextInput
        label="URL"
        description="An https address of your server that the internet can reach"
        placeholder="https://example.com/hooks"
        value={draft.url}
        onChange={({ currentTarget }) => change({ ...draft, url: currentTarget.value.trim() })}
        error={refusalOf('url', error)}
        type="url"
        required
        data-autofocus
      />
      <Checkbox.Group
        label="Events"
        value={[...draft.events]}
        onChange={(events) => change({ ...draft, events })}
      >
        <Stack gap={10} mt={6}>
          {EVENT_NAMES.map((name) => (
            <Checkbox key={name} value={name} label={name} description={EVENTS[name]} />
          ))}
        </Stack>
      </Checkbox.Group>
    </>
  )
}

function Secret({ draft, change, error }: PartProps) {
  return (
    <>
      <TextInput
        label="Secret"
        description="Signs every request, so that your server knows it is from us. It is not shown again."
        value={draft.secret}
        onChange={({ currentTarget }) =>
          // Another one is not the one that was stored.
          change({ ...draft, secret: currentTarget.value, isStored: false })
        }
        error={refusalOf('secret', error)}
        required
        autoComplete="off"
        spellCheck={false}
      />
      <Group>
        <CopyButton
          text={draft.secret}
          what="secret"
          onCopied={() => change({ ...draft, isStored: true })}
        />
      </Group>
      <Checkbox
        label="I stored the secret"
        checked={draft.isStored}
        onChange={({ currentTarget }) => change({ ...draft, isStored: currentTarget.checked })}
      />
    </>
  )
}

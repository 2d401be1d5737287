import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { SECRET_BYTES, webhookSecret } from '../../../../domain/webhook-secret.ts'
import type { WebWebhook } from '../../../webhook-api.ts'
import { call } from '../../api/call.ts'
import { ApiFailure } from '../../api/failure.ts'
import { webhooksQuery } from '../../api/queries.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useFocusBack } from '../../parts/use-focus-back.ts'
import { EVENT_NAMES, EVENTS } from './events.ts'

const newSecret = (): string => webhookSecret(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))

export function CreateWebhook({ close }: { readonly close: () => void }) {
  useFocusBack()
  const client = useQueryClient()
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState<string[]>(['job.completed', 'job.failed', 'credit.low'])
  const [secret, setSecret] = useState(newSecret)
  const [stored, setStored] = useState(false)
  const create = useMutation({
    mutationFn: () => call<WebWebhook>('POST', '/webhooks', { url, events, secret }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: webhooksQuery.queryKey })
      close()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  const refused = create.error instanceof ApiFailure ? create.error.param : null
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
          <TextInput
            label="URL"
            description="An https address of your server that the internet can reach"
            placeholder="https://example.com/hooks"
            value={url}
            onChange={({ currentTarget }) => setUrl(currentTarget.value.trim())}
            error={refused === 'url' ? create.error?.message : undefined}
            type="url"
            required
            data-autofocus
          />
          <Checkbox.Group label="Events" value={events} onChange={setEvents}>
            <Stack gap={10} mt={6}>
              {EVENT_NAMES.map((name) => (
                <Checkbox key={name} value={name} label={name} description={EVENTS[name]} />
              ))}
            </Stack>
          </Checkbox.Group>
          <TextInput
            label="Secret"
            description="Signs every request, so that your server knows it is from us. It is not shown again."
            value={secret}
            onChange={({ currentTarget }) => setSecret(currentTarget.value)}
            error={refused === 'secret' ? create.error?.message : undefined}
            required
            autoComplete="off"
            spellCheck={false}
          />
          <Group>
            <CopyButton text={secret} what="secret" onCopied={() => setStored(true)} />
          </Group>
          <Checkbox
            label="I stored the secret"
            checked={stored}
            onChange={({ currentTarget }) => setStored(currentTarget.checked)}
          />
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
              disabled={url === '' || events.length === 0 || secret === '' || !stored}
            >
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

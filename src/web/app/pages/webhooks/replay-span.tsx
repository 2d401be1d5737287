import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import type { FormEvent } from 'react'
import type { WebWebhook } from '../../../webhook-api.ts'
import { serviceNow } from '../../api/service-clock.ts'
import { Problem } from '../../parts/problem.tsx'
import { useUnfinishedText } from '../../session/unfinished.ts'
import { isTime, spanOf } from './span-of-time.ts'
import { useReplay } from './use-replay.ts'

const EXAMPLE = '2026-06-01 12:00'

/** What a webhook was never sent, since it had failed or was not there yet, is in no list of deliveries. */
export function ReplaySpan({ webhook }: { readonly webhook: WebWebhook }) {
  const from = useUnfinishedText(`replay of ${webhook.id} from`, '')
  const to = useUnfinishedText(`replay of ${webhook.id} to`, '')
  const { replay, onTheirWay } = useReplay(webhook)
  const span = spanOf(from.text, to.text, serviceNow())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wanted = spanOf(from.text, to.text, serviceNow())
    if (wanted) replay.mutate({ type: 'range', ...wanted })
  }
  return (
    <form className="card" onSubmit={submit}>
      <Stack gap="xs">
        <Title order={2} size="h5">
          Replay a span of time
        </Title>
        <Text size="sm" className="muted">
          Every event of these 30 days that this webhook listens to, whether it was sent or not:
          after a long outage, or for a new webhook. Those that your server has had come under the
          same ids.
        </Text>
        {/* A browser's own field for a time is wider than a phone once letters are large. */}
        <TextInput
          label="From"
          description="Date and time where you are."
          placeholder={EXAMPLE}
          value={from.text}
          onChange={({ currentTarget }) => from.type(currentTarget.value)}
          error={flawOf(from.text)}
        />
        <TextInput
          label="To, or up to now"
          placeholder={EXAMPLE}
          value={to.text}
          onChange={({ currentTarget }) => to.type(currentTarget.value)}
          error={flawOf(to.text) ?? (isTime(from.text) && !span ? 'Before it begins' : null)}
        />
        <Group>
          <Button type="submit" variant="default" disabled={!span} loading={replay.isPending}>
            Replay
          </Button>
        </Group>
        <Text size="sm" role="status">
          {onTheirWay}
        </Text>
        {replay.error && <Problem error={replay.error} />}
      </Stack>
    </form>
  )
}

const flawOf = (text: string): string | null =>
  text === '' || isTime(text) ? null : `A date with a time, such as ${EXAMPLE}`

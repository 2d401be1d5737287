import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { isSampleEvent } from '../../../../domain/sample-event.ts'
import type { WebDelivery } from '../../../webhook-api.ts'
import { Countdown } from '../../parts/countdown.tsx'
import { Fold } from '../../parts/fold.tsx'
import { dateTime, precise } from '../../parts/words.ts'

const COLOURS = { delivered: 'accent', waiting: 'yellow', failed: 'red' } as const

/** One event at this webhook: what was sent, and what was answered each time. */
export function DeliveryRow(row: {
  readonly delivery: WebDelivery
  readonly replay: () => void
  readonly busy: boolean
}) {
  const { delivery } = row
  const last = delivery.attempts.at(-1)
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <div>
          <Group gap="xs">
            <Text fw={600}>{delivery.event}</Text>
            <Badge color={COLOURS[delivery.status]} variant="light">
              {delivery.status}
            </Badge>
          </Group>
          <Text size="sm" className="muted">
            <span className="mono">{delivery.event_id}</span>
            {last && ` · ${dateTime(last.at)}`}
            {last?.next_at && (
              <>
                {' · next attempt '}
                <Countdown until={last.next_at} done="now" />
              </>
            )}
          </Text>
        </div>
        {!isSampleEvent(delivery.event_id) && (
          <Button
            size="xs"
            variant="default"
            disabled={row.busy}
            aria-label={`Replay ${delivery.event} ${delivery.event_id}`}
            onClick={row.replay}
          >
            Replay
          </Button>
        )}
      </Group>
      <Fold
        summary={`${counted(delivery.attempts.length)}, request and answers`}
        content={() => <Exchange delivery={delivery} />}
      />
    </li>
  )
}

function Exchange({ delivery }: { readonly delivery: WebDelivery }) {
  return (
    <Stack gap="xs" mt="xs">
      <Text size="sm" fw={600}>
        We sent
      </Text>
      <pre className="snippet">{indented(delivery.body)}</pre>
      {delivery.attempts.map((attempt) => (
        <Attempt key={`${attempt.at}-${attempt.attempt}`} attempt={attempt} />
      ))}
    </Stack>
  )
}

const counted = (attempts: number): string =>
  attempts === 1 ? '1 attempt' : `${attempts} attempts`

function Attempt({ attempt }: { readonly attempt: WebDelivery['attempts'][number] }) {
  return (
    <div>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        <strong>Attempt {attempt.attempt}</strong> · {precise(attempt.at)} ·{' '}
        {attempt.status === null
          ? `no answer: ${attempt.error ?? 'unknown reason'}`
          : `answered ${attempt.status} after ${attempt.latency_ms} ms`}
      </Text>
      {attempt.answer_start !== '' && <pre className="snippet">{attempt.answer_start}</pre>}
    </div>
  )
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body // shown as it is
  }
}

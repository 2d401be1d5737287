import { Button, Group, Text, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { WebWebhook } from '../../../webhook-api.ts'
import { againAfter, deliveriesQuery } from '../../api/queries.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { More } from '../../parts/more.tsx'
import { Problem } from '../../parts/problem.tsx'
import { DeliveryRow } from './delivery-row.tsx'
import { useReplay } from './use-replay.ts'

const LOOK_MS = 3_000

export function Deliveries({ webhook }: { readonly webhook: WebWebhook }) {
  const deliveries = useInfiniteQuery({
    ...deliveriesQuery(webhook.id),
    select: ({ pages }) => pages.flatMap(({ data }) => data),
    refetchInterval: againAfter(LOOK_MS),
  })
  const hasFailed = deliveries.data?.some(({ status }) => status === 'failed')
  const { replay, onTheirWay } = useReplay(webhook)
  return (
    <section className="card">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          Deliveries of the last 30 days
        </Title>
        <Button
          size="xs"
          variant="default"
          // Of those that are not shown, any may have failed.
          disabled={!hasFailed && !deliveries.hasNextPage}
          loading={replay.isPending && replay.variables.type === 'failed'}
          onClick={() => replay.mutate({ type: 'failed' })}
        >
          Replay all that failed
        </Button>
      </Group>
      {replay.error && <Problem error={replay.error} />}
      <Text size="sm" role="status">
        {onTheirWay}
      </Text>
      <Loaded query={deliveries}>
        {(list) =>
          list.length === 0 ? (
            <p className="muted">Nothing was sent yet. Send a test event to see one.</p>
          ) : (
            <ul className="rows">
              {list.map((delivery) => (
                <DeliveryRow
                  key={delivery.position}
                  delivery={delivery}
                  replay={() =>
                    replay.mutate({
                      type: 'one',
                      event_id: delivery.event_id,
                      position: delivery.position,
                    })
                  }
                  busy={replay.isPending}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      <More query={deliveries} size="xs">
        Show older ones
      </More>
    </section>
  )
}

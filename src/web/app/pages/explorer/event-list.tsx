import { Group, Text } from '@mantine/core'
import type { WebConfig } from '../../../api.ts'
import type { ChainEvent } from '../../chain/events.ts'
import { meaningOf } from '../../chain/meanings.ts'
import { BlockTo, TxTo } from './links.tsx'
import { NameOf, ValuesOf } from './named.tsx'

interface Props {
  readonly events: readonly ChainEvent[]
  readonly web: WebConfig
  /** In which transaction and block, where they are not all in one. */
  readonly placed?: boolean
}

export function EventList({ events, web, placed = false }: Props) {
  return (
    <ul className="rows card">
      {events.map((event) => (
        <li key={`${event.tx}.${event.logIndex}`}>
          <Group justify="space-between" gap="xs" align="start">
            <NameOf name={event.name} address={event.address} web={web} />
            {placed && (
              <Text size="sm" className="muted">
                block <BlockTo number={event.block} /> · <TxTo hash={event.tx} />
              </Text>
            )}
          </Group>
          <Text size="sm" className="muted">
            {meaningOf(event.contract, event.name)}
          </Text>
          <ValuesOf named={event} web={web} />
        </li>
      ))}
    </ul>
  )
}

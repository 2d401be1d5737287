import { Group, Text } from '@mantine/core'
import type { WebConfig } from '../../../api.ts'
import type { ChainEvent } from '../../chain/events.ts'
import { meaningOf } from '../../chain/meanings.ts'
import { sayAll } from '../../chain/said.ts'
import { AddressTo, BlockTo, TxTo } from './links.tsx'
import { Values } from './value.tsx'

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
            <Text fw={600}>
              {event.name}{' '}
              <Text span size="sm" fw={400} className="muted">
                of <AddressTo address={event.address} web={web} />
              </Text>
            </Text>
            {placed && (
              <Text size="sm" className="muted">
                block <BlockTo number={event.block} /> · <TxTo hash={event.tx} />
              </Text>
            )}
          </Group>
          <Text size="sm" className="muted">
            {meaningOf(event.contract, event.name)}
          </Text>
          <Values
            values={sayAll({ contract: event.contract, of: event.name }, event.inputs, event.args)}
            web={web}
          />
        </li>
      ))}
    </ul>
  )
}

import { Text } from '@mantine/core'
import type { WebConfig } from '../../../api.ts'
import type { ChainCall } from '../../chain/calls.ts'
import type { ChainEvent } from '../../chain/events.ts'
import { sayAll } from '../../chain/said.ts'
import { AddressTo } from './links.tsx'
import { Values } from './value.tsx'

/** What a call or an event is called, and of which contract it is. */
export function NameOf({
  name,
  address,
  web,
}: {
  readonly name: string
  readonly address: string
  readonly web: WebConfig
}) {
  return (
    <Text fw={600}>
      {name}{' '}
      <Text span size="sm" fw={400} className="muted">
        of <AddressTo address={address} web={web} />
      </Text>
    </Text>
  )
}

/** What a call hands over, or an event tells. */
export function ValuesOf({
  named: { contract, name, inputs, args },
  web,
}: {
  readonly named: Pick<ChainCall | ChainEvent, 'contract' | 'name' | 'inputs' | 'args'>
  readonly web: WebConfig
}) {
  return <Values values={sayAll({ contract, of: name }, inputs, args)} web={web} />
}

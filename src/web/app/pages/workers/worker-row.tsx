import { Anchor, Badge, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { rcompute } from '../../chain/said.ts'
import type { WorkerRecord } from '../../chain/workers.ts'
import { short } from '../../parts/words.ts'

interface Props {
  readonly worker: WorkerRecord
  /** What else is known of it. */
  readonly children?: ReactNode
}

export function WorkerRow({ worker: { id, signer, active, hasLeft }, children }: Props) {
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <Anchor
          renderRoot={(props) => (
            <Link {...props} to="/workers/$address" params={{ address: signer }} />
          )}
          className="mono"
          title={signer}
        >
          {short(signer)}
        </Anchor>
        <Text size="sm" className="muted numbers">
          number {id} · {rcompute(active)} at stake{' '}
          {hasLeft && (
            <Badge color="gray" variant="light">
              Has left
            </Badge>
          )}
        </Text>
      </Group>
      {children}
    </li>
  )
}

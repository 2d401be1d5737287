import { Alert, Group, Loader, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { IconCircleCheck } from './icons.ts'

/** What is going on right now, read out as it changes. */
export function Progress({ text }: { readonly text: string | undefined }) {
  return (
    <div role="status">
      {text !== undefined && (
        <Group gap="xs" wrap="nowrap">
          <Loader size="xs" aria-hidden />
          <Text size="sm">{text}</Text>
        </Group>
      )}
    </div>
  )
}

export function Done({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ReactNode
}) {
  return (
    <Alert color="accent" variant="light" role="status" icon={<IconCircleCheck />} title={title}>
      {children}
    </Alert>
  )
}

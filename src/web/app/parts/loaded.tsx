import { Skeleton, Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Problem } from './problem.tsx'

/**
 * What a query brought. What is known stays on the screen while it is asked again, also when that
 * fails: then the problem stands above it.
 */
export function Loaded<T>({
  query,
  children,
  lines = 3,
}: {
  readonly query: UseQueryResult<T>
  readonly children: (data: T) => ReactNode
  /** Of the grey lines while there is nothing yet. */
  readonly lines?: number
}) {
  const { data, error, refetch } = query
  return (
    <Stack gap="md">
      {error && <Problem error={error} retry={() => void refetch()} />}
      {data !== undefined && children(data)}
      {data === undefined && !error && <Waiting lines={lines} />}
    </Stack>
  )
}

export function Waiting({ lines }: { readonly lines: number }) {
  return (
    <Stack gap="sm" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <Skeleton key={line} height={line === 0 ? 40 : 18} radius="md" />
      ))}
    </Stack>
  )
}

import { Button, type ButtonProps } from '@mantine/core'

interface MoreProps extends Pick<ButtonProps, 'size' | 'children'> {
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    fetchNextPage(): Promise<unknown>
  }
}

/** Asks for the next page of a list, where there is one. */
export function More({ query, ...shown }: MoreProps) {
  if (!query.hasNextPage) return null
  return (
    <div>
      <Button
        variant="default"
        loading={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
        {...shown}
      />
    </div>
  )
}

import { Alert, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { WebConfig } from '../../api.ts'
import { hasMoved, readConfig } from '../api/moved.ts'
import { reloadPage } from '../session/page.ts'

const LOOK_MS = 60_000

/** Nothing, but where an operator has moved to other contracts while this page was open. */
export function MovedNotice({ web }: { readonly web: WebConfig }) {
  const { data: now } = useQuery({
    // Not the config itself: what is under way here goes on with what it began with.
    queryKey: ['config', 'now'],
    queryFn: readConfig,
    initialData: web,
    staleTime: LOOK_MS,
    refetchInterval: LOOK_MS,
  })
  if (!hasMoved(web, now)) return null
  return (
    <Alert color="yellow" role="alert" title="This service has moved to other contracts" mb="lg">
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 280px">
          This page still leads to the ones from before, where the service sees no payment any more.
          Reload it before you buy, withdraw, stake or vote.
        </Text>
        <Button size="xs" onClick={() => reloadPage()}>
          Reload
        </Button>
      </Group>
    </Alert>
  )
}

import { Button, Group, List, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { WebAccount } from '../../../api.ts'
import { keyQuery } from '../../api/queries.ts'
import { hasCredits } from './has-credits.ts'

/** For those who begin; gone once there are credits and a key. */
export function FirstSteps({ account }: { readonly account: WebAccount }) {
  const { data: key } = useQuery(keyQuery)
  const funded = hasCredits(account)
  if (key === undefined || (funded && key !== null)) return null
  return (
    <section className="card">
      <Title order={2} size="h4" mb="xs">
        First steps
      </Title>
      <List type="ordered" spacing="xs">
        <List.Item>
          <Text td={funded ? 'line-through' : undefined}>
            Buy at least 100 credits (1.00 USDG){funded ? ', done' : ''}.
          </Text>
        </List.Item>
        <List.Item>
          <Text td={key ? 'line-through' : undefined}>Create an API key{key ? ', done' : ''}.</Text>
        </List.Item>
        <List.Item>Point any chat-completions client at this service with that key.</List.Item>
      </List>
      <Group mt="md">
        {!funded && (
          <Button component={Link} to="/buy">
            Buy credits
          </Button>
        )}
        {!key && (
          <Button component={Link} to="/key" variant={funded ? 'filled' : 'default'}>
            Create an API key
          </Button>
        )}
      </Group>
    </section>
  )
}

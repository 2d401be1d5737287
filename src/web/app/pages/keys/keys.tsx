import { Badge, Button, Group, List, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { CreatedKey, WebKey } from '../../../api.ts'
import { call } from '../../api/call.ts'
import { keyQuery } from '../../api/queries.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { dateTime } from '../../parts/words.ts'
import { Private } from '../../session/private.tsx'
import { forgetKey, keepKey } from '../../session/tab-memory.ts'
import { NewKey } from './new-key.tsx'
import { Snippets } from './snippets.tsx'

export function KeyPage() {
  return <Private title="API key">{() => <Key />}</Private>
}

function Key() {
  const key = useQuery(keyQuery)
  const [created, setCreated] = useState<CreatedKey>()
  return (
    <Page
      title="API key"
      lead="A key spends the credits of your wallet, and can do nothing else: no withdrawals, no settings. One key a wallet is active at a time."
    >
      <Loaded query={key}>
        {(data) => (data ? <ActiveKey current={data} /> : <NoKey created={setCreated} />)}
      </Loaded>
      {created && <NewKey created={created} close={() => setCreated(undefined)} />}
      <Snippets />
    </Page>
  )
}

function NoKey({ created }: { readonly created: (key: CreatedKey) => void }) {
  const client = useQueryClient()
  const create = useMutation({
    mutationFn: () => call<CreatedKey>('POST', '/key'),
    onSuccess: (key) => {
      created(key)
      keepKey(key.key)
      const { key: _secret, ...shown } = key
      client.setQueryData(keyQuery.queryKey, shown)
    },
    // Another tab may have been quicker.
    onError: () => client.invalidateQueries({ queryKey: keyQuery.queryKey }),
  })
  return (
    <Stack className="card">
      <Text>You have no active key.</Text>
      <List size="sm" className="muted">
        <List.Item>Creating a key is free and works at once.</List.Item>
        <List.Item>It is shown one single time. We keep only its fingerprint.</List.Item>
      </List>
      <div>
        <Button loading={create.isPending} onClick={() => create.mutate()}>
          Create an API key
        </Button>
      </div>
      {create.error && <Problem error={create.error} />}
    </Stack>
  )
}

function ActiveKey({ current }: { readonly current: WebKey }) {
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const revoke = useMutation({
    mutationFn: () => call<unknown>('DELETE', '/key'),
    onSuccess: () => {
      client.setQueryData(keyQuery.queryKey, null)
      forgetKey()
      setAsking(false)
    },
  })
  return (
    <Stack className="card">
      <Group justify="space-between">
        <div>
          <Group gap="sm">
            <span className="mono">{current.hint}</span>
            <Badge color={current.status === 'active' ? 'accent' : 'red'} variant="light">
              {current.status}
            </Badge>
          </Group>
          <Text size="sm" className="muted" mt={4}>
            Created {dateTime(current.created_at)} ·{' '}
            {current.last_used_at ? `last used ${dateTime(current.last_used_at)}` : 'not used yet'}
          </Text>
        </div>
        <Button color="red" variant="light" onClick={() => setAsking(true)}>
          Revoke
        </Button>
      </Group>
      {current.status === 'suspended' && (
        <Text size="sm">This key is suspended: its requests are refused. Contact support.</Text>
      )}
      <Confirm
        opened={asking}
        close={() => setAsking(false)}
        title="Revoke this key?"
        action="Revoke key"
        run={() => revoke.mutate()}
        busy={revoke.isPending}
        error={revoke.error}
      >
        Every request with {current.hint} is refused from now on, and this cannot be undone. Jobs
        that run already are finished and paid. You can create a new key right after.
      </Confirm>
    </Stack>
  )
}

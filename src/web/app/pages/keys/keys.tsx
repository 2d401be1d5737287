import { Alert, Badge, Button, Group, List, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { CreatedKey, WebKey } from '../../../api.ts'
import { call } from '../../api/call.ts'
import { learn } from '../../api/client.ts'
import { isFinal } from '../../api/explain.ts'
import { keyQuery, sessionQuery } from '../../api/queries.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Problem } from '../../parts/problem.tsx'
import { dateTime } from '../../parts/words.ts'
import { Private } from '../../session/private.tsx'
import { forgetKey, keepKey } from '../../session/tab-memory.ts'
import { useUnfinished } from '../../session/unfinished.ts'
import { NewKey } from './new-key.tsx'
import { Snippets } from './snippets.tsx'

export function KeyPage() {
  return <Private title="API key">{() => <Key />}</Private>
}

function Key() {
  const key = useQuery(keyQuery)
  // It is shown once: the end of a session must not take that away.
  const [created, setCreated] = useUnfinished<CreatedKey>('new key')
  const create = useCreate(setCreated)
  return (
    <Page
      title="API key"
      lead="A key spends the credits of your wallet, and can do nothing else: no withdrawals, no settings. One key a wallet is active at a time."
    >
      <Loaded query={key}>
        {(data) =>
          data ? (
            <>
              {create.error && <NotShown error={create.error} />}
              <ActiveKey current={data} revoked={create.reset} />
            </>
          ) : (
            <NoKey create={create} />
          )
        }
      </Loaded>
      {created && <NewKey created={created} close={() => setCreated(undefined)} />}
      <Snippets />
    </Page>
  )
}

function useCreate(created: (key: CreatedKey) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call<CreatedKey>('POST', '/key'),
    onSuccess: async (key) => {
      created(key)
      // Whoever has signed out meanwhile spends no more in this tab.
      if (client.getQueryData(sessionQuery.queryKey)) keepKey(key.key)
      const { key: _secret, ...shown } = key
      await learn(client, keyQuery, shown)
    },
    // Another tab may have been quicker, or the answer was lost.
    onError: () => client.invalidateQueries({ queryKey: keyQuery.queryKey }),
  })
}

/** There is a key now, and this page asked for one in vain. */
function NotShown({ error }: { readonly error: Error }) {
  if (isFinal(error)) return <Problem error={error} />
  return (
    <Alert color="red" variant="light" role="alert" title="The key could not be shown">
      It was made, and the answer that held it was lost. Nobody has seen this key, and it is never
      shown again: revoke it and create another. Only if you made one in another tab, it is that
      one.
    </Alert>
  )
}

function NoKey({ create }: { readonly create: ReturnType<typeof useCreate> }) {
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

function ActiveKey({
  current,
  revoked,
}: {
  readonly current: WebKey
  readonly revoked: () => void
}) {
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const revoke = useMutation({
    mutationFn: () => call<unknown>('DELETE', `/key?hint=${encodeURIComponent(current.hint)}`),
    // Another tab, or somebody elsewhere, may have replaced it.
    onError: () => client.invalidateQueries({ queryKey: keyQuery.queryKey }),
    onSuccess: async () => {
      forgetKey()
      revoked()
      await learn(client, keyQuery, null)
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

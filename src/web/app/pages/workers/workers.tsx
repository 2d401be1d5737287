import { Button, Group, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { WebConfig } from '../../../api.ts'
import { rcompute } from '../../chain/said.ts'
import { readLatestWorkers } from '../../chain/workers.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { WithConfig } from '../../parts/with-config.tsx'
import { Own } from './own.tsx'
import { WorkerRow } from './worker-row.tsx'

export function WorkersPage() {
  return (
    <Page
      title="Workers"
      lead="What a worker has earned, what is held and until when, its stake, and why it has no jobs. Anyone can look, and anyone can have a worker’s earnings paid out to it."
    >
      <LookUp />
      <WithConfig>
        {(web) => (
          <>
            <Own web={web} />
            <Latest web={web} />
          </>
        )}
      </WithConfig>
    </Page>
  )
}

function LookUp() {
  const [text, setText] = useState('')
  const [isWrong, setIsWrong] = useState(false)
  const navigate = useNavigate()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const address = text.trim().toLowerCase()
    if (!/^0x[0-9a-f]{40}$/.test(address)) return setIsWrong(true)
    void navigate({ to: '/workers/$address', params: { address } })
  }
  return (
    <form onSubmit={submit}>
      <Group align="start" gap="xs">
        <TextInput
          label="Address of a worker"
          placeholder="0x…"
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            setIsWrong(false)
          }}
          error={isWrong && 'An address is 0x and 40 hexadecimal digits.'}
          // Read out as it comes: the focus stays where the form was sent from.
          errorProps={{ role: 'alert' }}
          autoComplete="off"
          spellCheck={false}
          style={{ flex: '1 1 260px', maxWidth: 480 }}
        />
        <Button type="submit" mt={{ base: 0, xs: 25 }}>
          Look it up
        </Button>
      </Group>
    </form>
  )
}

const SHOWN = 25

function Latest({ web }: { readonly web: WebConfig }) {
  const latest = useQuery({
    queryKey: ['chain', 'workers'],
    queryFn: () => readLatestWorkers(web, SHOWN),
  })
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        Registered on chain
      </Title>
      <Loaded query={latest} lines={5}>
        {({ workers, count, minimumStake }) => (
          <>
            <Text size="sm" className="muted" mb="xs">
              {count === 1 ? '1 worker' : `${count.toLocaleString('en')} workers`} so far
              {count > SHOWN && `, the latest ${SHOWN} below`}. A worker earns 75 % of a job’s
              price, and 85 % with at least {rcompute(minimumStake)} at stake.
            </Text>
            {workers.length > 0 && (
              <ul className="rows card">
                {workers.map((worker) => (
                  <WorkerRow key={worker.id} worker={worker} />
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

import { Anchor, Button, Group, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { forgetKey, keepKey } from '../../session/tab-memory.ts'

const KEY = /^svc_live_[0-9A-Za-z]{32}$/
const SHOWN = { first: 12, last: 2 } as const

interface KeyEntryProps {
  readonly apiKey: string | undefined
  readonly change: (apiKey: string | undefined) => void
}

/** The key whose wallet pays: pasted here, or just created in this tab. */
export function KeyEntry({ apiKey, change }: KeyEntryProps) {
  if (apiKey === undefined) return <Paste change={change} />
  return (
    <Group gap="sm">
      <Text size="sm">
        Paid with the key{' '}
        <span className="mono">
          {apiKey.slice(0, SHOWN.first)}…{apiKey.slice(-SHOWN.last)}
        </span>
        , which this tab forgets when it is closed or reloaded.
      </Text>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => {
          forgetKey()
          change(undefined)
        }}
      >
        Use another key
      </Button>
    </Group>
  )
}

function Paste({ change }: Pick<KeyEntryProps, 'change'>) {
  const [text, setText] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const use = (event: FormEvent) => {
    event.preventDefault()
    const key = text.trim()
    if (!KEY.test(key)) {
      setFault('A key is svc_live_ and 32 letters and digits. Paste all of it.')
      return
    }
    keepKey(key)
    change(key)
  }
  return (
    <form onSubmit={use}>
      <Group align="end" gap="sm">
        <TextInput
          label="API key"
          description="Its wallet pays. It stays in the memory of this tab, and is sent to the public API only."
          type="password"
          autoComplete="off"
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            setFault(null)
          }}
          error={fault}
          style={{ flex: '1 1 280px' }}
        />
        <Button type="submit">Use this key</Button>
      </Group>
      <Text size="sm" className="muted" mt="xs">
        No key at hand?{' '}
        <Anchor component={Link} to="/key" inherit>
          Create one
        </Anchor>
        ; it is then filled in here by itself.
      </Text>
    </form>
  )
}

import { Anchor, Button, Group, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { serviceNames } from '../../../../domain/service-names.ts'
import { forgetKey, keepKey } from '../../session/tab-memory.ts'

/** Characters of a key's secret part. */
const SHOWN = { first: 3, last: 2 } as const

interface KeyEntryProps {
  /** `service_prefix` of the web app's config. */
  readonly prefix: string
  readonly apiKey: string | undefined
  readonly change: (apiKey: string | undefined) => void
}

/** The key whose wallet pays: pasted here, or just created in this tab. */
export function KeyEntry({ prefix, apiKey, change }: KeyEntryProps) {
  if (apiKey === undefined) return <Paste prefix={prefix} change={change} />
  const shown = serviceNames(prefix).keyStart.length + SHOWN.first
  return (
    <Group gap="sm">
      <Text size="sm">
        Paid with the key{' '}
        <span className="mono">
          {apiKey.slice(0, shown)}…{apiKey.slice(-SHOWN.last)}
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

function Paste({ prefix, change }: Omit<KeyEntryProps, 'apiKey'>) {
  const { keyPattern, keyStart } = serviceNames(prefix)
  const [text, setText] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const use = (event: FormEvent) => {
    event.preventDefault()
    const key = text.trim()
    if (!keyPattern.test(key)) {
      setFault(`A key is ${keyStart} and 32 letters and digits. Paste all of it.`)
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
          // Read out as it comes: the focus stays where the form was sent from.
          errorProps={{ role: 'alert' }}
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

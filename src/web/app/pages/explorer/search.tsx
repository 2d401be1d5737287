import { Button, Group, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { searchTarget } from './search-target.ts'

export function Search() {
  const [text, setText] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const navigate = useNavigate()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const target = searchTarget(text)
    if (target) void navigate(target)
    else setFault('Give a transaction or address (0x…), a job ID (job_…) or the number of a block.')
  }
  return (
    <search>
      <form onSubmit={submit}>
        <Group align="start" gap="xs">
          <TextInput
            label="Transaction, block, address or job"
            placeholder="0x… · job_… · 1234"
            value={text}
            onChange={({ currentTarget }) => {
              setText(currentTarget.value)
              setFault(null)
            }}
            error={fault}
            // Read out as it comes: the focus stays where the form was sent from.
            errorProps={{ role: 'alert' }}
            autoComplete="off"
            spellCheck={false}
            style={{ flex: '1 1 260px', maxWidth: 560 }}
          />
          <Button type="submit" mt={{ base: 0, xs: 25 }}>
            Look it up
          </Button>
        </Group>
      </form>
    </search>
  )
}

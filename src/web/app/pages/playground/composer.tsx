import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, useState } from 'react'

interface ComposerProps {
  /** What sending costs; null: it cannot be sent as it is. */
  readonly price: string | null
  readonly hasKey: boolean
  readonly isRunning: boolean
  /** There is a conversation to begin anew. */
  readonly isBegun: boolean
  readonly send: (question: string) => void
  readonly stop: () => void
  readonly clear: () => void
}

export function Composer(props: ComposerProps) {
  const { price, hasKey, isRunning, isBegun, send, stop, clear } = props
  const [text, setText] = useState('')
  const canSend = hasKey && price !== null && !isRunning && text.trim() !== ''
  const submit = () => {
    if (!canSend) return
    send(text.trim())
    setText('')
  }
  const onKey = (event: KeyboardEvent) => {
    // Enter also ends the writing of a word in some scripts.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  return (
    <form
      className="card"
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack gap="sm">
        <Textarea
          label="Your message"
          description="Enter sends, Shift and Enter begin a new line."
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={onKey}
          autosize
          minRows={2}
          maxRows={10}
        />
        <Text size="sm" className="numbers" role="status">
          {hasKey ? (price ?? 'Correct the length first.') : 'Give a key above first.'}
        </Text>
        <Group>
          {isRunning ? (
            <Button type="button" variant="default" onClick={stop}>
              Stop
            </Button>
          ) : (
            <Button type="submit" disabled={!canSend}>
              Send
            </Button>
          )}
          {isBegun && !isRunning && (
            <Button type="button" variant="default" onClick={clear}>
              New conversation
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

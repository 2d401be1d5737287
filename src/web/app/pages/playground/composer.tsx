import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import type { FormEvent, KeyboardEvent } from 'react'
import { useUnfinished } from '../../session/unfinished.ts'

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
  // Whoever goes to make a key, or to look at a job, finds it again.
  const [text = '', setText] = useUnfinished<string>('question in the playground')
  const canSend = hasKey && price !== null && !isRunning && text.trim() !== ''
  const submit = () => {
    if (!canSend) return
    send(text.trim())
    setText(undefined)
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || endsWord(event.nativeEvent)) return
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
          dir="auto"
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

/** What Safari reports for a key that an input method took, when it says that it is composing no more. */
const TAKEN_KEY_CODE = 229

/** Enter also ends the writing of a word in some scripts. */
const endsWord = ({ isComposing, keyCode }: globalThis.KeyboardEvent): boolean =>
  isComposing || keyCode === TAKEN_KEY_CODE

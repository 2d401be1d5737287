import { Text, Textarea } from '@mantine/core'
import { textHash } from './text-hash.ts'

/** The text as the caller received it: kept in this page, and only its hash ever leaves it. */
export function AnswerText({
  text,
  change,
}: {
  readonly text: string
  readonly change: (text: string) => void
}) {
  return (
    <div>
      <Textarea
        label="The answer as you received it (optional)"
        description="The whole text. It stays in this page; only its hash is compared."
        value={text}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        dir="auto"
      />
      {text !== '' && (
        <Text size="sm" className="muted" mt={4}>
          Its hash: <span className="mono">{textHash(text)}</span>
        </Text>
      )}
    </div>
  )
}

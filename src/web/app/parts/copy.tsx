import { Button } from '@mantine/core'
import { useClipboard, useDidUpdate } from '@mantine/hooks'
import { IconCheck, IconCopy } from './icons.ts'

const SHOWN_MS = 2_000

/** @param what names the thing for those who do not see where the button stands */
export function CopyButton({
  text,
  what,
  onCopied,
}: {
  readonly text: string
  readonly what: string
  readonly onCopied?: () => void
}) {
  const clipboard = useClipboard({ timeout: SHOWN_MS })
  // Not on the click: a browser may refuse.
  useDidUpdate(() => {
    if (clipboard.copied) onCopied?.()
  }, [clipboard.copied])
  const word = clipboard.copied ? 'Copied' : clipboard.error ? 'Cannot copy' : 'Copy'
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`${word} ${what}`}
      leftSection={clipboard.copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      onClick={() => clipboard.copy(text)}
    >
      {word}
    </Button>
  )
}

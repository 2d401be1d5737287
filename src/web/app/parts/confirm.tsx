import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Problem } from './problem.tsx'

interface ConfirmProps {
  readonly opened: boolean
  readonly close: () => void
  readonly title: string
  /** The verb on the button. */
  readonly action: string
  readonly run: () => void
  readonly busy: boolean
  /** It can no longer be done. */
  readonly disabled?: boolean
  readonly error: unknown
  /** On the button that leaves all as it is. */
  readonly keep?: string
  /** What happens then. */
  readonly children: ReactNode
}

/** What it was about has gone, and the button that had opened it. */
function focusHeadingIfLost(): void {
  const { activeElement } = document
  if (activeElement === null || activeElement === document.body) {
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
  }
}

/** Before something that cannot be undone. */
export function Confirm({
  opened,
  close,
  title,
  action,
  run,
  busy,
  disabled = false,
  error,
  keep = 'Keep it',
  children,
}: ConfirmProps) {
  useEffect(() => focusHeadingIfLost, [])
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={title}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text size="sm">{children}</Text>
        {error !== null && error !== undefined && <Problem error={error} />}
        <Group justify="end">
          <Button variant="default" onClick={close} data-autofocus>
            {keep}
          </Button>
          <Button color="red" loading={busy} disabled={disabled} onClick={run}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

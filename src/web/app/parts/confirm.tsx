import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Problem } from './problem.tsx'
import { focusHeadingIfLost } from './use-focus-back.ts'

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

import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import type { CreatedKey } from '../../../api.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { useFocusBack } from '../../parts/use-focus-back.ts'
import { Snippets } from './snippets.tsx'

/** The one time a key is shown. It closes only once its owner says that it is stored. */
export function NewKey({
  created,
  close,
}: {
  readonly created: CreatedKey
  readonly close: () => void
}) {
  useFocusBack()
  const [stored, setStored] = useState(false)
  // Back does nothing until then, and the browser asks before a reload.
  useBlocker({ shouldBlockFn: () => true, disabled: stored })
  return (
    <Modal
      opened
      onClose={close}
      title="Your new API key"
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Text>
          Copy it now and keep it like a password. <strong>It is never shown again</strong>; a lost
          key is revoked and replaced.
        </Text>
        <div className="snippet" data-testid="api-key">
          {created.key}
        </div>
        <Group>
          <CopyButton text={created.key} what="API key" />
        </Group>
        <Snippets apiKey={created.key} />
        <Checkbox
          label="I stored it"
          checked={stored}
          onChange={({ currentTarget }) => setStored(currentTarget.checked)}
        />
        <div>
          <Button disabled={!stored} onClick={close}>
            Done
          </Button>
        </div>
      </Stack>
    </Modal>
  )
}

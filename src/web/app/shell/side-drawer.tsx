import { Drawer } from '@mantine/core'
import { useFocusBack } from '../parts/use-focus-back.ts'
import { Brand, Side } from './side.tsx'

/** The navigation on narrow screens. */
export function SideDrawer({
  opened,
  close,
}: {
  readonly opened: boolean
  readonly close: () => void
}) {
  useFocusBack()
  return (
    <Drawer
      opened={opened}
      onClose={close}
      size={272}
      title={<Brand />}
      closeButtonProps={{ 'aria-label': 'Close menu' }}
    >
      <Side onChosen={close} />
    </Drawer>
  )
}

import { useEffect, useState } from 'react'

/**
 * For a dialog that is mounted only while it is open, which Mantine does not look after: whatever
 * had the focus before gets it back, or the page's heading where that is gone.
 */
export function useFocusBack(): void {
  // While it is first rendered: soon after, the dialog takes the focus.
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      const isThere = before !== document.body && before?.isConnected
      const back = isThere ? before : document.querySelector('h1')
      if (back instanceof HTMLElement) back.focus({ preventScroll: true })
    },
    [before],
  )
}

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
      focus(isThere ? before : headingOf())
    },
    [before],
  )
}

/** What a dialog was about has gone, and the button that had opened it: the page's heading gets the focus. */
export function focusHeadingIfLost(): void {
  const { activeElement } = document
  if (activeElement === null || activeElement === document.body) focus(headingOf())
}

const headingOf = () => document.querySelector('h1')

function focus(element: Element | null): void {
  if (element instanceof HTMLElement) element.focus({ preventScroll: true })
}

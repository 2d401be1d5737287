import { type ReactNode, useState } from 'react'

/** Closed at first. What is in it is made once it is opened, so that a long list of them stays quick. */
export function Fold(props: { readonly summary: ReactNode; readonly content: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{props.summary}</summary>
      {isOpen && props.content()}
    </details>
  )
}

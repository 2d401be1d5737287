import { Fragment } from 'react'

/** What an API says, with what it puts between backticks set as code. */
export function WithCode({ text }: { readonly text: string }) {
  // A text that is split by a pattern with a group has each match of the group at an odd place.
  return text.split(/`([^`]+)`/).map((part, i) => {
    const key = `${i} ${part}`
    return i % 2 === 1 ? (
      <code key={key} className="mono">
        {part}
      </code>
    ) : (
      <Fragment key={key}>{part}</Fragment>
    )
  })
}

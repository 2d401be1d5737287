import type { ReactNode } from 'react'

/** What is known of one thing, as names and values. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="known card">{children}</dl>
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

import { Anchor } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'

/** To the list that a page's one thing is of. */
export function Back({ to, list }: { readonly to: LinkProps['to']; readonly list: string }) {
  return (
    <Anchor
      // Else the router calls the list the current page: its address is how this one begins.
      renderRoot={(props) => <Link {...props} to={to} activeOptions={{ exact: true }} />}
      size="sm"
    >
      ← {list}
    </Anchor>
  )
}

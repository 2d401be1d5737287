import { Navigate, useSearch } from '@tanstack/react-router'
import { NAVIGATION } from '../shell/navigation.ts'
import { isAt, isOpenPage } from '../shell/open-pages.ts'
import { Private } from './private.tsx'

/** For who would sign in on a page that asks nobody to: it leads back there. */
export function SignInPage() {
  const { back }: { readonly back?: unknown } = useSearch({ strict: false })
  // A link from elsewhere may name anything.
  const to = typeof back === 'string' && isOpenPage(back) ? back : '/'
  const links = NAVIGATION.flatMap((group) => group.links)
  const title = links.find((link) => isAt(to, link.to))?.label ?? 'Overview'
  return <Private title={title}>{() => <Navigate to={to} replace />}</Private>
}

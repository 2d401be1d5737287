import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense } from 'react'
import type { WebSession } from '../../api.ts'
import { sessionQuery } from '../api/queries.ts'
import { Loaded, Waiting } from '../parts/loaded.tsx'

const SignIn = lazy(async () => ({ default: (await import('./sign-in.tsx')).SignIn }))

/** A page for those who are signed in. Others are asked to, in its place and at its address. */
export function Private({
  title,
  children,
}: {
  readonly title: string
  readonly children: (session: WebSession) => ReactNode
}) {
  const query = useQuery(sessionQuery)
  return (
    <Loaded query={query}>
      {(session) =>
        session === null ? (
          <Suspense fallback={<Waiting lines={4} />}>
            <SignIn title={title} />
          </Suspense>
        ) : (
          children(session)
        )
      }
    </Loaded>
  )
}

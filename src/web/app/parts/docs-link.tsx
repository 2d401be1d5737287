import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { configQuery } from '../api/queries.ts'

/** A page of the public API's reference. */
export function DocsLink({
  page,
  children,
}: {
  readonly page: 'quickstart' | 'webhooks-receiving'
  readonly children: ReactNode
}) {
  const { data: config } = useQuery(configQuery)
  if (!config) return children
  const href = `${config.docs_url}/api-reference/${page}`
  return (
    <Anchor href={href} target="_blank" rel="noreferrer" inherit>
      {children}
    </Anchor>
  )
}

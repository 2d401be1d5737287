import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { WebConfig } from '../../api.ts'
import { configQuery } from '../api/queries.ts'
import { Loaded } from './loaded.tsx'

/** For pages that need to know the chain and nobody's session. */
export function WithConfig({ children }: { readonly children: (web: WebConfig) => ReactNode }) {
  const query = useQuery(configQuery)
  return <Loaded query={query}>{(web) => <>{children(web)}</>}</Loaded>
}

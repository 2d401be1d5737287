import { queryOptions } from '@tanstack/react-query'
import type { WebStandings } from '../../../workers-api.ts'
import { call } from '../../api/call.ts'

/** How the pools see a worker: for its payee and its own key alone. */
export const standingQuery = (worker: string) =>
  queryOptions({
    queryKey: ['standing', worker],
    queryFn: () => call<WebStandings>('GET', `/workers/${worker}/standing`),
  })

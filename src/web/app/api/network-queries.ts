import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { JobLife, JobsPage, NetworkState, WebModels } from '../../api.ts'
import { call } from './call.ts'

/** Jobs, and what is told of the network to everybody. */

const AWHILE_MS = 15_000
const MOVING_MS = 2_000

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: async () => (await call<WebModels>('GET', '/models')).data,
  refetchInterval: AWHILE_MS,
})

/** What a first try is made with; undefined: none is served. */
export const cheapestOf = (models: WebModels['data']): WebModels['data'][number] | undefined =>
  models.reduce<WebModels['data'][number] | undefined>(
    (least, each) =>
      least && least.svc.credits_per_request <= each.svc.credits_per_request ? least : each,
    undefined,
  )

export const networkQuery = queryOptions({
  queryKey: ['network'],
  queryFn: () => call<NetworkState>('GET', '/network'),
  refetchInterval: AWHILE_MS,
})

/** @param search limit, status, model, and one of before and after */
export const jobsQuery = (search: URLSearchParams) =>
  queryOptions({
    queryKey: ['jobs', search.toString()],
    queryFn: () => call<JobsPage>('GET', `/jobs?${search}`),
    placeholderData: keepPreviousData,
    // News are of the newest jobs alone.
    refetchInterval: AWHILE_MS,
  })

export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: ['jobs', 'one', id],
    queryFn: () => call<JobLife>('GET', `/jobs/${encodeURIComponent(id)}`),
    refetchInterval: ({ state: { data } }) => (data && isMoving(data) ? MOVING_MS : AWHILE_MS),
  })

/** About to change by itself, soon. */
const isMoving = ({ job }: JobLife) => ['pending', 'processing', 'settling'].includes(job.status)

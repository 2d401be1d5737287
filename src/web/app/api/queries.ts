import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type {
  DepositAddress,
  MovementsPage,
  WebAccount,
  WebConfig,
  WebKey,
  WebSession,
  WebSettings,
} from '../../api.ts'
import type { DeliveriesPage, WebWebhook } from '../../webhook-api.ts'
import { call, speakFor } from './call.ts'
import { ApiFailure } from './failure.ts'
import { wasSignedIn } from './signed-in-before.ts'

/** What pages read. A key starts with the word that /api/events says when it is stale. */

const AWHILE_MS = 15_000

/**
 * When a list is asked for again that is shown page below page: all of its pages are, each by a request
 * of its own, so that whoever looks far back asks no more often than others.
 */
export const againAfter =
  (ms: number) =>
  ({
    state,
  }: {
    readonly state: { readonly data?: { readonly pages: readonly unknown[] } | undefined }
  }) =>
    ms * (state.data?.pages.length ?? 1)

export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: () => call<WebConfig>('GET', '/config'),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Null: nobody is signed in. A browser that was never signed in need not ask. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => (wasSignedIn() ? readSession() : null),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Null: nobody is signed in. */
export const readSession = () =>
  call<WebSession>('GET', '/session').then(
    (session) => {
      speakFor(session.wallet)
      return session
    },
    (error: unknown) => {
      if (error instanceof ApiFailure && error.status === 401) return null
      throw error
    },
  )

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: () => call<WebAccount>('GET', '/account'),
  refetchInterval: AWHILE_MS,
})

export const depositAddressQuery = queryOptions({
  queryKey: ['arrivals'],
  queryFn: () => call<DepositAddress>('GET', '/deposit-address'),
})

const MOVEMENTS_PER_PAGE = 20

export const movementsQuery = infiniteQueryOptions({
  queryKey: ['movements'],
  queryFn: ({ pageParam }) => {
    const before = pageParam === '' ? '' : `&before=${pageParam}`
    return call<MovementsPage>('GET', `/account/movements?limit=${MOVEMENTS_PER_PAGE}${before}`)
  },
  initialPageParam: '',
  getNextPageParam: (last) => (last.has_more ? last.next_cursor : undefined),
  refetchInterval: againAfter(AWHILE_MS),
})

export const keyQuery = queryOptions({
  queryKey: ['key'],
  queryFn: () => call<WebKey | null>('GET', '/key'),
})

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: () => call<WebSettings>('GET', '/settings'),
})

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: async () => (await call<{ data: readonly WebWebhook[] }>('GET', '/webhooks')).data,
})

export const deliveriesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', id, 'deliveries'],
    queryFn: ({ pageParam }) => {
      const cursor = pageParam === '' ? '' : `?cursor=${encodeURIComponent(pageParam)}`
      const path = `/webhooks/${encodeURIComponent(id)}/deliveries${cursor}`
      return call<DeliveriesPage>('GET', path)
    },
    initialPageParam: '',
    getNextPageParam: (last) => (last.has_more ? last.next_cursor : null),
  })

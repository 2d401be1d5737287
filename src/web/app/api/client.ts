import {
  type DataTag,
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query'
import type { WebSession } from '../../api.ts'
import { reloadPage } from '../session/page.ts'
import { forgetAll } from '../session/tab-memory.ts'
import { leaveUnfinished, resumeUnfinished } from '../session/unfinished.ts'
import { speakFor } from './call.ts'
import { ApiFailure, Unreachable } from './failure.ts'
import { readSession, sessionQuery } from './queries.ts'
import { noteSignedIn } from './signed-in-before.ts'

const TRIES = 3

/** The cookie is another wallet's now: nothing here may be shown or sent in its name. */
const isOtherWallets = (error: unknown): boolean =>
  error instanceof ApiFailure && error.code === 'other_wallet'

/** Refusals stay refusals; only what may pass by itself is tried again. */
const mayPass = (error: unknown) =>
  error instanceof Unreachable || (error instanceof ApiFailure && error.status >= 500)

export function makeQueryClient(): QueryClient {
  const noticeOtherSession = (error: unknown) => {
    if (!(error instanceof ApiFailure)) return
    if (isOtherWallets(error)) return reloadPage()
    if (error.status !== 401) return
    // The page stays where it is and asks to sign in; afterwards it goes on.
    if (client.getQueryData(sessionQuery.queryKey)) endSession(client)
  }
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: noticeOtherSession }),
    mutationCache: new MutationCache({ onError: noticeOtherSession }),
    defaultOptions: {
      // A browser that takes itself to be without a network asks all the same: it may be wrong, as where
      // the service is on this machine, and who waits in silence learns nothing.
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 5_000,
        retry: (failures, error) => failures < TRIES - 1 && mayPass(error),
      },
      // Money may have moved before the answer was lost: a person decides on a second try. Nor is
      // anything kept and sent by itself once there is a network again.
      mutations: { networkMode: 'always', retry: false },
    },
  })
  return client
}

export function beginSession(client: QueryClient, session: WebSession): void {
  noteSignedIn(session.wallet)
  const shown = client.getQueryData(sessionQuery.queryKey)
  if (shown && shown.wallet !== session.wallet) {
    // A wallet that was asked on an earlier page answers after another one has: the cookie is its own now.
    reloadPage()
    return
  }
  // What came late for the session before, which may have been another wallet's.
  removePrivate(client)
  speakFor(session.wallet)
  resumeUnfinished(session.wallet)
  client.setQueryData(sessionQuery.queryKey, session)
}

/** Another tab has signed in, and the cookie is this one's, too. */
export async function joinSession(client: QueryClient): Promise<void> {
  // Where it cannot be read now, this tab goes on asking to sign in.
  const found = await readSession().catch(() => null)
  if (found) beginSession(client, found)
}

/** What everybody is told, whoever is signed in; and that nobody is. */
const KEPT: readonly unknown[] = ['config', 'models', 'network', 'chain', 'session']

/** Forgets all that belongs to the wallet. */
export function endSession(client: QueryClient): void {
  const ended = client.getQueryData(sessionQuery.queryKey)
  if (ended) leaveUnfinished(ended.wallet)
  speakFor(null)
  noteSignedIn(null)
  forgetAll()
  client.setQueryData(sessionQuery.queryKey, null)
  removePrivate(client)
}

/**
 * At the end of its time. A tab that is not looked at learns of that late: somebody may have signed in anew in
 * another one by then, and that session is this tab's, too. To end it here would end it there.
 */
export async function endIfOver(client: QueryClient, over: WebSession): Promise<void> {
  const found = await readSession().catch((error: unknown) =>
    isOtherWallets(error) ? 'others' : null,
  )
  // Meanwhile it was ended here, or begun anew.
  if (client.getQueryData(sessionQuery.queryKey)?.expires_at !== over.expires_at) return
  if (found === 'others') return reloadPage()
  const isAnother = found !== null && found.expires_at !== over.expires_at
  if (isAnother) client.setQueryData(sessionQuery.queryKey, found)
  else endSession(client)
}

const removePrivate = (client: QueryClient): void =>
  client.removeQueries({ predicate: ({ queryKey: [name] }) => !KEPT.includes(name) })

/** What has just been changed is so from now on: what is being asked of it at this moment is older. */
export async function learn<T>(
  client: QueryClient,
  { queryKey }: { readonly queryKey: DataTag<QueryKey, T, Error> },
  data: NoInfer<T>,
): Promise<void> {
  await client.cancelQueries({ queryKey, exact: true })
  client.setQueryData<unknown>(queryKey, data)
}

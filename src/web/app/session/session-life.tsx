import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { WebSession } from '../../api.ts'
import { endIfOver, endSession, joinSession } from '../api/client.ts'
import { useLiveUpdates } from '../api/events.ts'
import { serviceNow } from '../api/service-clock.ts'
import { onSignedInElsewhere, onSignedOutElsewhere } from '../api/signed-in-before.ts'
import { reloadPage } from './page.ts'
import { forgetUnfinished } from './unfinished.ts'

/** What setTimeout can count. */
const TIMER_MS_MAX = 2 ** 31 - 1

/**
 * While somebody is signed in: news from the server, the end of the session in time, and what other
 * tabs make of it.
 */
export function SessionLife({ session }: { readonly session: WebSession }) {
  const client = useQueryClient()
  useLiveUpdates()
  useEffect(() => {
    const leftMs = Math.max(0, Date.parse(session.expires_at) - serviceNow())
    const timer = setTimeout(() => void endIfOver(client, session), Math.min(leftMs, TIMER_MS_MAX))
    return () => clearTimeout(timer)
  }, [client, session])
  useEffect(() => onSignedOutElsewhere(forgetUnfinished), [])
  useEffect(
    () =>
      onSignedInElsewhere((wallet) => {
        if (wallet === null) endSession(client)
        // The cookie is another wallet's now: nothing here may be shown or sent in its name.
        else if (wallet !== session.wallet) reloadPage()
      }),
    [client, session.wallet],
  )
  return null
}

/** While nobody is: another tab may sign in for all. */
export function NoSession() {
  const client = useQueryClient()
  useEffect(
    () =>
      onSignedInElsewhere((wallet) => {
        if (wallet !== null) void joinSession(client)
      }),
    [client],
  )
  return null
}

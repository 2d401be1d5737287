import { keptByBrowser } from '../session/kept.ts'
import { onChangeElsewhere } from '../session/page.ts'
import { randomId } from '../session/random-id.ts'

/**
 * The session's cookie is hidden from scripts, and all tabs share it. This says whether asking for the
 * session makes sense, and tells the other tabs whose it is.
 */
const ITEM = 'svc.signed-in'
/** Changes with each sign-out that somebody asked for; a session that ran out leaves it. */
const LEFT_ITEM = 'svc.signed-out'

/** True where nothing is kept, too: the service knows. */
export const wasSignedIn = (): boolean =>
  keptByBrowser.getItem(ITEM) !== null || keptByBrowser.isRefused()

export function noteSignedIn(wallet: string | null): void {
  if (wallet === null) keptByBrowser.removeItem(ITEM)
  else keptByBrowser.setItem(ITEM, wallet)
}

/** Before the session is ended here: other tabs must not keep what they would keep of one that ran out. */
export const noteSignedOut = (): void => keptByBrowser.setItem(LEFT_ITEM, randomId())

/** Hears that somebody signed out in another tab. Returns how to stop. */
export const onSignedOutElsewhere = (hear: () => void): (() => void) =>
  onChangeElsewhere(LEFT_ITEM, hear)

/**
 * Hears which wallet another tab has signed in, null after a sign-out: as it is now, since a tab that
 * was frozen hears late. Returns how to stop.
 */
export const onSignedInElsewhere = (hear: (wallet: string | null) => void): (() => void) =>
  onChangeElsewhere(ITEM, () => hear(keptByBrowser.getItem(ITEM)))

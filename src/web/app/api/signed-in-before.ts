/** The session's cookie is hidden from scripts; this only says whether asking for it makes sense. */
const ITEM = 'svc.signed-in'

export const wasSignedIn = (): boolean => localStorage.getItem(ITEM) !== null

export function noteSignedIn(isSignedIn: boolean): void {
  if (isSignedIn) localStorage.setItem(ITEM, 'yes')
  else localStorage.removeItem(ITEM)
}

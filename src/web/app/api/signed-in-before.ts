/**
 * The session's cookie is hidden from scripts, and all tabs share it. This says whether asking for the
 * session makes sense, and tells the other tabs whose it is.
 */
const ITEM = 'svc.signed-in'

export const wasSignedIn = (): boolean => localStorage.getItem(ITEM) !== null

export function noteSignedIn(wallet: string | null): void {
  if (wallet === null) localStorage.removeItem(ITEM)
  else localStorage.setItem(ITEM, wallet)
}

/**
 * Hears which wallet another tab has signed in, null after a sign-out: as it is now, since a tab that
 * was frozen hears late. Returns how to stop.
 */
export function onSignedInElsewhere(hear: (wallet: string | null) => void): () => void {
  const listen = ({ key }: StorageEvent) => {
    if (key === ITEM) hear(localStorage.getItem(ITEM))
  }
  window.addEventListener('storage', listen)
  return () => window.removeEventListener('storage', listen)
}

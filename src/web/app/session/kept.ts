/**
 * What this browser, or this tab, keeps across a reload. Some keep nothing: cookies are blocked, or it is
 * an in-app browser without storage. There it is kept for as long as the page is open.
 */
export interface Store {
  getItem(item: string): string | null
  setItem(item: string, text: string): void
  removeItem(item: string): void
}
export interface Kept extends Store {
  /** Nothing outlives the page. */
  isRefused(): boolean
}

// Tests have no browser.
const browser = globalThis as {
  readonly localStorage?: Store | null
  readonly sessionStorage?: Store | null
}

/** Shared by all tabs. */
export const keptByBrowser: Kept = keptBy(() => browser.localStorage)
export const keptByTab: Kept = keptBy(() => browser.sessionStorage)

const TRIED = 'svc.tried'

/** Some are there, and full: of a size of nothing, too. */
function takes(storage: Store | undefined): boolean {
  try {
    storage?.setItem(TRIED, '1')
    storage?.removeItem(TRIED)
    return storage !== undefined
  } catch {
    return false
  }
}

/** @param open throws where the browser refuses, or gives nothing */
export function keptBy(open: () => Store | null | undefined): Kept {
  const byPage = new Map<string, string>()
  const storage = (): Store | undefined => {
    try {
      return open() ?? undefined
    } catch {
      return undefined // a SecurityError: the very question is refused
    }
  }
  return {
    // What did not fit is newer than what is stored.
    getItem: (item) => byPage.get(item) ?? storage()?.getItem(item) ?? null,
    setItem(item, text) {
      byPage.delete(item)
      try {
        const into = storage()
        if (into) return into.setItem(item, text)
      } catch {
        // full
      }
      byPage.set(item, text)
    },
    removeItem(item) {
      byPage.delete(item)
      storage()?.removeItem(item)
    },
    isRefused: () => !takes(storage()),
  }
}

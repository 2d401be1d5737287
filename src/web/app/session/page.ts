interface StorageChange {
  readonly key: string | null
}
type Listening = (name: 'storage', listener: (change: StorageChange) => void) => void

// Tests have no browser.
const page = globalThis as unknown as {
  readonly location: { reload(): void }
  readonly addEventListener: Listening
  readonly removeEventListener: Listening
}

export const reloadPage = (): void => page.location.reload()

/** Hears that another tab has changed what the browser keeps. Returns how to stop. */
export function onChangeElsewhere(item: string, changed: () => void): () => void {
  const listen = ({ key }: StorageChange) => {
    if (key === item) changed()
  }
  page.addEventListener('storage', listen)
  return () => page.removeEventListener('storage', listen)
}

import { useState } from 'react'

/**
 * What somebody is in the middle of, such as a form or a key that is shown once. It outlives a session
 * that ends meanwhile, for the wallet of that session alone. Never stored: it goes with the tab.
 */
const unfinished = new Map<string, unknown>()
let owner: string | undefined

/** State that is there again after signing in anew; undefined: there is nothing unfinished. */
export function useUnfinished<T>(name: string) {
  const [value, setValue] = useState(() => unfinishedOf<T>(name))
  const keep = (next: T | undefined) => {
    keepUnfinished(name, next)
    setValue(next)
  }
  return [value, keep] as const
}

/** What is typed into a field that has `first` in it to begin with, until it is `done` with. */
export function useUnfinishedText(name: string, first: string) {
  const [typed, type] = useUnfinished<string>(name)
  // What is done with stays to be read for as long as its page is there.
  return { text: typed ?? first, type, done: () => keepUnfinished(name, undefined) }
}

export const unfinishedOf = <T>(name: string) => unfinished.get(name) as T | undefined

export function keepUnfinished(name: string, value: unknown): void {
  if (value === undefined) unfinished.delete(name)
  else unfinished.set(name, value)
}

export function leaveUnfinished(wallet: string): void {
  owner = wallet
}

export function resumeUnfinished(wallet: string): void {
  if (owner !== wallet) forgetUnfinished()
}

export function forgetUnfinished(): void {
  unfinished.clear()
}

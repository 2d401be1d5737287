import { readFileSync } from 'node:fs'

const known = new Map<string, string>()

/** The text of scripts of `lua/`, one after the other; read once a process. */
export function luaSource(...names: readonly string[]): string {
  const all = names.join(' ')
  const found = known.get(all)
  if (found !== undefined) return found
  const source = names
    .map((name) => readFileSync(new URL(`./lua/${name}.lua`, import.meta.url), 'utf8'))
    .join('\n')
  known.set(all, source)
  return source
}

import { createRequire } from 'node:module'
import { install, notInstalled, type ServerProgram } from './install-programs.ts'
import { findOnPath } from './on-path.ts'

/**
 * Paths of the given servers, installing those that are not on PATH.
 * @throws naming what to install, or the variable that makes it needless
 */
export async function findServers(
  names: readonly ServerProgram[],
  say: (line: string) => void,
): Promise<ReadonlyMap<ServerProgram, string>> {
  const missing = names.filter((name) => !findOnPath(name))
  if (missing.length > 0) await install(missing, say)
  return new Map(
    names.map((name) => {
      const path = findOnPath(name)
      if (!path)
        throw new Error(notInstalled([name], 'it is still not on PATH after installing it'))
      return [name, path]
    }),
  )
}

/** anvil itself, not the Node script around it: its pid must be the one that is signalled. */
export function findAnvil(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const file = `@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil`
  try {
    return createRequire(import.meta.url).resolve(file)
  } catch (cause) {
    const onPath = findOnPath('anvil')
    if (onPath) return onPath
    throw new Error(`${file} is missing from node_modules; remove node_modules and start again`, {
      cause,
    })
  }
}

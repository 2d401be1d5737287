import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What the architecture test reads: the files of the repository and what each imports. */

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

const SKIPPED_FOLDERS = new Set(['node_modules', '.git', '.svc', 'dist'])
/** Built from the contracts, ignored by git. */
const BUILT = ['src/contracts/out', 'src/contracts/cache', 'src/contracts/broadcast']
const GENERATED = /^(?:proto\/gen\/|src\/chain\/abi\.ts$)/
const BINARY = /\.(?:png|ico|woff2?|gz|log)$/

/** Every text file, by its path from the root. */
export const allFiles: readonly string[] = filesUnder(ROOT)
/** TypeScript that people write. */
export const sourceFiles = allFiles.filter((path) => /\.tsx?$/.test(path) && !isGenerated(path))

export function isGenerated(path: string): boolean {
  return GENERATED.test(path)
}

export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

export interface Import {
  /** As written. */
  readonly specifier: string
  /** From the root, for our own files. */
  readonly target: string | undefined
}

const IMPORTS = [
  /^\s*(?:import|export)\s[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm,
  /^\s*import\s*['"]([^'"]+)['"]/gm,
  /\bimport\s*\(\s*['"]([^'"]+)['"]/g,
]

export function importsOf(path: string): readonly Import[] {
  const text = textOf(path)
  return IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)]).map(([, specifier]) => ({
    specifier: specifier!,
    target: specifier!.startsWith('.')
      ? relative(ROOT, resolve(ROOT, dirname(path), specifier!))
      : undefined,
  }))
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    const fromRoot = relative(ROOT, path)
    if (entry.isDirectory()) {
      return SKIPPED_FOLDERS.has(entry.name) || BUILT.includes(fromRoot) ? [] : filesUnder(path)
    }
    return entry.isFile() && !BINARY.test(entry.name) ? [fromRoot] : []
  })
}

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bundle, bundleNetwork, NETWORK } from '../../src/network/bundle.mjs'
import type { Role } from './network.ts'

/**
 * The version before this one: hosts of both share the work while a network is upgraded. With each release
 * this becomes the commit of the one before it.
 */
const OLDER = 'e406dbd'
const root = resolve(import.meta.dirname, '../..')
const ROLES = ['edge', 'actors', 'pool', 'web', 'worker'] as const

type Version = 'older' | 'this'

/** Programs of a network, each of which is of the version that its role is set to when it starts. */
export interface TwoVersions {
  /** Folder of the programs, as the launcher takes it. */
  readonly build: string
  set(role: Role, version: Version): void
  remove(): void
}

/** @returns undefined where the history of this checkout does not reach so far */
export async function makeTwoVersions(): Promise<TwoVersions | undefined> {
  if (!hasCommit(OLDER)) return undefined
  const builds = { older: await bundleOlder(), this: await bundleNetwork(root) }
  const build = mkdtempSync(join(root, 'dist', 'two-versions-'))
  const set = (role: Role, version: Version) =>
    writeFileSync(join(build, `${role}.txt`), builds[version])
  for (const role of ROLES) {
    set(role, 'older')
    writeFileSync(join(build, `${role}.mjs`), chooser(role))
  }
  writeFileSync(join(build, 'launcher.mjs'), `export * from '${builds.this}/launcher.mjs'\n`)
  return { build, set, remove: () => rmSync(build, { recursive: true }) }
}

const chooser = (role: Role) => `
import { readFileSync } from 'node:fs'
await import(readFileSync(new URL('${role}.txt', import.meta.url), 'utf8') + '/${role}.mjs')
`

function hasCommit(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Under the repository, where packages are found. */
async function bundleOlder(): Promise<string> {
  const sources = join(root, 'dist', `sources-${OLDER}`)
  if (!existsSync(sources)) {
    const half = mkdtempSync(`${sources}-`)
    const input = execFileSync(
      'git',
      ['archive', OLDER, 'src', 'actors', 'proto', 'package.json'],
      {
        cwd: root,
        maxBuffer: 2 ** 28,
      },
    )
    execFileSync('tar', ['-x', '-C', half], { input })
    renameSync(half, sources)
  }
  const { launcher: _, ...roles } = NETWORK
  return await bundle(sources, 'roles', roles)
}

import { execFile } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { writeWhole } from '../data/whole-file.ts'
import { ownApt } from './own-apt.ts'

/** What is fetched once a user, and not once a checkout. */
export const USER_CACHE = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'prepaid-inference',
)
/** For who has no home to write into, as in many containers: beside the packages of npm, and gone with them. */
const PROJECT_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/prepaid-inference')
const PROGRAMS = 'programs'
/** Where unpacked programs may be, each under its own name. */
export const UNPACKED = [USER_CACHE, PROJECT_CACHE].map((cache) => join(cache, PROGRAMS))

/** Where a package has its program. A browser's in `usr/bin` is a script that looks for it at the system's root. */
const placesOf = (name: string) => [
  `usr/lib/${name}/${name}`,
  `usr/sbin/${name}`,
  `usr/bin/${name}`,
]

/**
 * Programs from the packages of this machine's Debian, for who may not install any: fetched with all that they
 * need and the machine lacks, and unpacked into the user's cache.
 * @param packages by the program's name: the one that holds it, and those that must lie beside it
 * @param caches of which the first counts that can be written into
 * @throws with the words of apt or dpkg
 */
export async function unpack(
  packages: ReadonlyMap<string, readonly string[]>,
  caches: readonly string[] = [USER_CACHE, PROJECT_CACHE],
): Promise<void> {
  const cache = firstWritable(caches)
  removeAbandoned(cache)
  const work = mkdtempSync(join(cache, WORK))
  try {
    const apt = ownApt(work)
    await apt('update')
    for (const [name, wanted] of packages) {
      // Also where the system has one of them: they are not looked for in two places.
      await apt('install', '-y', '--download-only', '--reinstall', ...LEAST, ...wanted)
      const folder = join(work, name)
      await unpackAll(join(work, 'archives'), folder)
      keep(folder, name, join(cache, PROGRAMS))
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Beginning of the name of a folder that is worked in. */
const WORK = 'apt-'
/** Far longer than anybody works in one. */
const ABANDONED_MS = 60 * 60_000

/** What others left that were ended at work, by Ctrl-C for one: lists and packages of a hundred megabytes. */
export function removeAbandoned(cache: string): void {
  for (const name of readdirSync(cache).filter((each) => each.startsWith(WORK))) {
    const folder = join(cache, name)
    const changedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (Date.now() - changedAt > ABANDONED_MS) rmSync(folder, { recursive: true, force: true })
  }
}

function firstWritable([cache, ...others]: readonly string[]): string {
  try {
    mkdirSync(join(cache!, PROGRAMS), { recursive: true })
    accessSync(join(cache!, PROGRAMS), constants.W_OK)
    return cache!
  } catch (error) {
    if (others.length === 0) throw error
    return firstWritable(others)
  }
}

const LEAST = ['--no-install-recommends', '--no-install-suggests']

async function unpackAll(archives: string, folder: string): Promise<void> {
  for (const file of readdirSync(archives).filter((each) => each.endsWith('.deb'))) {
    await promisify(execFile)('dpkg-deb', ['-x', join(archives, file), folder])
    // The next program must not get it too.
    rmSync(join(archives, file))
  }
}

/** Whole or not at all, whoever else does the same at this moment. */
function keep(unpacked: string, name: string, programs: string): void {
  const files = `${name}.files`
  try {
    renameSync(unpacked, join(programs, files))
  } catch (error) {
    if (!existsSync(join(programs, files))) throw error
  }
  writeWhole(join(programs, name), starter(programs, files, name), 0o755)
}

/** The program's own process in the end, which signals reach. */
function starter(programs: string, files: string, name: string): string {
  const all = readdirSync(join(programs, files), { recursive: true }).map(String)
  const program = placesOf(name).find((path) => all.includes(path))
  if (!program) throw new Error(`the packages of ${name} hold no program of that name`)
  const libraries = new Set(all.filter((path) => /\.so(\.|$)/.test(path)).map(dirname))
  const inHere = (path: string) => `"$here/${files}/${path}"`
  return [
    '#!/bin/sh',
    'here=$(dirname "$0")',
    `LD_LIBRARY_PATH=${[...libraries].map(inHere).join(':')}`,
    'export LD_LIBRARY_PATH',
    // The machine has no fonts: those that came along are looked for there.
    ...(all.includes('usr/share/fonts') ? [`export XDG_DATA_HOME=${inHere('usr/share')}`] : []),
    `exec ${inHere(program)} "$@"`,
    '',
  ].join('\n')
}

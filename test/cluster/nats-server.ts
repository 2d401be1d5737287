import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isSafe } from '../../src/bus/streams/replication.ts'
import { findOnPath } from '../../src/network/programs/on-path.ts'
import { type AptSettings, ownApt } from '../../src/network/programs/own-apt.ts'
import { USER_CACHE } from '../../src/network/programs/unpack.ts'

const run = promisify(execFile)
const KEPT = join(USER_CACHE, 'nats-server-for-clusters')
/** Newer than what a machine is likely to have; the newest version of all of them is taken. */
const SUITES = ['testing', 'unstable']
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * A nats-server whose streams may have replicas: the one that NATS_SERVER_PATH names, the machine's own
 * if it is new enough, else the one of a newer Debian suite, from the archive that apt uses here. That
 * one is unpacked into the user's cache, and nothing of the system is changed.
 * @throws saying what was tried and what would do
 */
export async function findClusterNats(): Promise<string> {
  const tried: string[] = []
  for (const path of [process.env.NATS_SERVER_PATH, findOnPath('nats-server'), KEPT]) {
    if (!path || !existsSync(path)) continue
    const version = await versionOf(path)
    if (isSafe(version)) return path
    tried.push(`${path} is ${version}`)
  }
  try {
    return await fromNewerSuite()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(
      'the tests of a NATS cluster need a nats-server of 2.11 or newer. ' +
        `${[...tried, `from a newer Debian suite: ${why}`].join('; ')}. ` +
        'Install one, or name it with NATS_SERVER_PATH.',
      { cause: error },
    )
  }
}

async function fromNewerSuite(): Promise<string> {
  mkdirSync(USER_CACHE, { recursive: true })
  const work = mkdtempSync(join(USER_CACHE, 'apt-'))
  try {
    const apt = ownApt(work, newerSuites(work, await archiveOfThisMachine()))
    await apt('update')
    await apt('download', 'nats-server')
    await run('sh', ['-c', 'dpkg-deb -x nats-server_*.deb unpacked'], { cwd: work })
    const server = join(work, 'unpacked/usr/sbin/nats-server')
    const version = await versionOf(server)
    if (!isSafe(version)) throw new Error(`the newest there is ${version}`)
    // Whole or not at all, whoever else does the same at this moment.
    renameSync(server, KEPT)
    return KEPT
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** @throws where apt knows no Debian archive */
async function archiveOfThisMachine(): Promise<string> {
  const format = '$(REPO_URI) $(CODENAME)'
  const { stdout } = await run('apt-get', ['indextargets', '--format', format])
  const archives = stdout.split('\n').flatMap((line) => {
    const [uri, codename = ''] = line.split(' ')
    // Updates and security are archives beside the suite itself.
    return uri && !codename.includes('-') && uri.includes('debian') ? [uri] : []
  })
  const [archive] = archives
  if (!archive) throw new Error('apt names no Debian archive here (run apt-get update)')
  return archive
}

/** In place of the machine's own archives: the newer suites of one of them. */
function newerSuites(work: string, archive: string): AptSettings {
  for (const folder of ['sources', 'none']) mkdirSync(join(work, folder))
  const signed = existsSync(KEYRING) ? `Signed-By: ${KEYRING}\n` : ''
  writeFileSync(
    join(work, 'sources/newer.sources'),
    `Types: deb\nURIs: ${archive}\nSuites: ${SUITES.join(' ')}\nComponents: main\n${signed}`,
  )
  return {
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': join(work, 'sources'),
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': join(work, 'none'),
  }
}

async function versionOf(path: string): Promise<string> {
  const { stdout } = await run(path, ['--version'])
  const version = /v?(\d+\.\d+\.\d+)/.exec(stdout)?.[1]
  if (!version) throw new Error(`${path} does not tell its version: ${stdout.trim()}`)
  return version
}

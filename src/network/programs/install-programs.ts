import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findOnPath } from './on-path.ts'
import { unpack } from './unpack.ts'

export type ServerProgram = 'nats-server' | 'redis-server'

/** Only tests need the browser. */
type Program = ServerProgram | 'chromium'
type Say = (line: string) => void

interface Source {
  /** Set by who has one already. */
  readonly variable: string
  /** What the variable then says. */
  readonly otherwise: string
  /** What is installed, and what has to lie beside it. */
  readonly apt: readonly string[]
  readonly brew: readonly string[]
}
const SOURCES: Readonly<Record<Program, Source>> = {
  'nats-server': {
    ...{ variable: 'NATS_URL', otherwise: 'a running server' },
    ...{ apt: ['nats-server'], brew: ['nats-server'] },
  },
  'redis-server': {
    ...{ variable: 'REDIS_URL', otherwise: 'a running server' },
    ...{ apt: ['redis-server', 'redis-tools'], brew: ['redis'] },
  },
  chromium: {
    ...{ variable: 'CHROME_PATH', otherwise: 'a Chrome or Chromium' },
    ...{ apt: ['chromium'], brew: ['chromium'] },
  },
}

/** @throws naming what to install, or the variable that makes it needless */
export async function install(missing: readonly Program[], say: Say): Promise<void> {
  const way = await findWay()
  if (!way) throw new Error(notInstalled(missing, 'there is no apt-get and no brew here'))
  await way(missing, say)
}

/** One way to get programs onto this machine. */
type Way = (missing: readonly Program[], say: Say) => Promise<void>

async function findWay(): Promise<Way | undefined> {
  const hasApt = findOnPath('apt-get') !== undefined
  const asRoot = hasApt ? await rootPrefix() : undefined
  if (asRoot) {
    return byCommands('apt', (packages) => [
      [...asRoot, 'env', PLAIN_WORDS, 'apt-get', 'update', '-q'],
      [...asRoot, ...APT_INSTALL, ...packages],
    ])
  }
  if (findOnPath('brew')) {
    const brew = ['env', 'HOMEBREW_NO_AUTO_UPDATE=1', 'NONINTERACTIVE=1', 'brew', 'install']
    return byCommands('brew', (packages) => [[...brew, ...packages]])
  }
  return hasApt ? byUnpacking : undefined
}

/** Its words are read below, and it speaks the language of the machine. */
const PLAIN_WORDS = 'LC_ALL=C'

// Through env, since sudo drops variables. The run level keeps the packages from starting a service
// of their own; where it does not, that service has its own ports and does no harm.
const APT_INSTALL = [
  ...['env', PLAIN_WORDS, 'DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1'],
  ...['apt-get', 'install', '-y', '-q', '--no-install-recommends'],
]

const byCommands =
  (
    kind: 'apt' | 'brew',
    commandsFor: (packages: readonly string[]) => readonly (readonly string[])[],
  ): Way =>
  async (missing, say) => {
    for (const [command, ...args] of commandsFor(missing.flatMap((name) => SOURCES[name][kind]))) {
      say(`${missing.join(' and ')} not found: running ${command} ${args.join(' ')}`)
      await runInTurn(command!, args, say).catch(failed(missing, kind === 'apt' ? 'apt-get' : kind))
    }
  }

// Upgrades at boot take some minutes.
const PATIENCE_MS = 300_000
const PAUSE_MS = 2_000

/** apt's own patience (`DPkg::Lock::Timeout`) is for the lock of the packages, not for that of the lists. */
const HELD_BY_ANOTHER = /Could not get lock|Unable to acquire the dpkg frontend lock/

/** Waits where another apt is at work: a machine upgrades itself after its boot, two starts install at once. */
async function runInTurn(command: string, args: readonly string[], say: Say): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS
  for (let hasSaid = false; ; hasSaid = true) {
    try {
      await promisify(execFile)(command, args, { maxBuffer: 64 * 1024 * 1024 })
      return
    } catch (cause) {
      const { stderr = '' } = cause as { stderr?: string }
      if (!HELD_BY_ANOTHER.test(stderr) || Date.now() > giveUpAt) throw cause
      if (!hasSaid) say(`waiting for another apt on this machine: ${lastLineOf(stderr)}`)
      await pause(PAUSE_MS)
    }
  }
}

const byUnpacking: Way = async (missing, say) => {
  say(`${missing.join(' and ')} not found: unpacking the packages of this machine's Debian`)
  const packages = new Map(missing.map((name) => [name, SOURCES[name].apt]))
  await unpack(packages).catch(failed(missing, 'unpacking, for want of root rights,'))
}

const failed =
  (missing: readonly Program[], what: string) => (cause: Error & { stderr?: string }) => {
    const reason = lastLineOf(cause.stderr ?? '') || cause.message
    throw new Error(notInstalled(missing, `${what} failed: ${reason}`), { cause })
  }

const lastLineOf = (text: string) => text.trim().split('\n').at(-1)!

/** What to put before a command so that it runs as root without a question. */
async function rootPrefix(): Promise<readonly string[] | undefined> {
  if (process.getuid?.() === 0) return []
  if (!findOnPath('sudo')) return undefined
  return promisify(execFile)('sudo', ['-n', 'true']).then(
    () => ['sudo', '-n'],
    () => undefined,
  )
}

export function notInstalled(names: readonly Program[], why: string): string {
  const variables = names.map((name) => SOURCES[name].variable).join(' and ')
  const [{ otherwise }] = names.map((name) => SOURCES[name]) as [Source]
  return `${names.join(' and ')} could not be installed: ${why}. Install ${names.length > 1 ? 'them' : 'it'}, or set ${variables} to use ${otherwise}.`
}

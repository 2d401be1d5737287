import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

export type ServerProgram = 'nats-server' | 'redis-server'

/** Only tests need it. */
export type TestProgram = 'chromium'

interface Source {
  /** Set by who has one already. */
  readonly variable: string
  /** What the variable then says. */
  readonly otherwise: string
  readonly apt: string
  readonly brew: string
}
const SOURCES: Readonly<Record<ServerProgram | TestProgram, Source>> = {
  'nats-server': {
    ...{ variable: 'NATS_URL', otherwise: 'a running server' },
    ...{ apt: 'nats-server', brew: 'nats-server' },
  },
  'redis-server': {
    ...{ variable: 'REDIS_URL', otherwise: 'a running server' },
    ...{ apt: 'redis-server', brew: 'redis' },
  },
  chromium: {
    ...{ variable: 'CHROME_PATH', otherwise: 'a Chrome or Chromium' },
    ...{ apt: 'chromium', brew: 'chromium' },
  },
}

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

// Debian puts servers into folders that are not on every user's PATH.
const SERVER_FOLDERS = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/sbin',
  '/opt/homebrew/bin',
  '/usr/local/bin',
]

export function findOnPath(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...SERVER_FOLDERS]
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // whatever the reason, it cannot be run
  }
}

/** @throws naming what to install, or the variable that makes it needless */
export async function install(
  missing: readonly (ServerProgram | TestProgram)[],
  say: (line: string) => void,
): Promise<void> {
  const installer = await findInstaller()
  if (!installer) {
    throw new Error(notInstalled(missing, 'there is no apt-get with root rights and no brew here'))
  }
  const packages = missing.map((name) => SOURCES[name][installer.kind])
  for (const [command, ...args] of installer.commands(packages)) {
    say(`${missing.join(' and ')} not found: running ${command} ${args.join(' ')}`)
    await promisify(execFile)(command!, args, {
      env: { ...process.env, ...installer.env },
      maxBuffer: 64 * 1024 * 1024,
    }).catch((cause: Error & { stderr?: string }) => {
      const reason = cause.stderr?.trim().split('\n').at(-1) ?? cause.message
      throw new Error(notInstalled(missing, `${command} failed: ${reason}`), { cause })
    })
  }
}

// Through env, since sudo drops variables. The run level keeps the packages from starting a service
// of their own; where it does not, that service has its own ports and does no harm.
const APT_INSTALL = [
  ...['env', 'DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1'],
  ...['apt-get', 'install', '-y', '-q', '--no-install-recommends'],
]

interface Installer {
  readonly kind: 'apt' | 'brew'
  readonly env: Readonly<Record<string, string>>
  commands(packages: readonly string[]): readonly (readonly string[])[]
}

async function findInstaller(): Promise<Installer | undefined> {
  if (findOnPath('apt-get')) {
    const prefix = await rootPrefix()
    if (prefix) {
      return {
        kind: 'apt',
        env: {},
        commands: (packages) => [
          [...prefix, 'apt-get', 'update', '-q'],
          [...prefix, ...APT_INSTALL, ...packages],
        ],
      }
    }
  }
  if (findOnPath('brew')) {
    return {
      kind: 'brew',
      env: { HOMEBREW_NO_AUTO_UPDATE: '1', NONINTERACTIVE: '1' },
      commands: (packages) => [['brew', 'install', ...packages]],
    }
  }
  return undefined
}

/** What to put before a command so that it runs as root without a question. */
async function rootPrefix(): Promise<readonly string[] | undefined> {
  if (process.getuid?.() === 0) return []
  if (!findOnPath('sudo')) return undefined
  return promisify(execFile)('sudo', ['-n', 'true']).then(
    () => ['sudo', '-n'],
    () => undefined,
  )
}

function notInstalled(names: readonly (keyof typeof SOURCES)[], why: string): string {
  const variables = names.map((name) => SOURCES[name].variable).join(' and ')
  const [{ otherwise }] = names.map((name) => SOURCES[name]) as [Source]
  return `${names.join(' and ')} could not be installed: ${why}. Install ${names.length > 1 ? 'them' : 'it'}, or set ${variables} to use ${otherwise}.`
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

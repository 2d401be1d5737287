import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type AptSettings = Readonly<Record<string, string>>

/** @throws with its last words */
export type Apt = (...args: string[]) => Promise<void>

const PATIENCE_MS = 240_000
/** What dpkg has installed here. */
const STATUS = '/var/lib/dpkg/status'

/**
 * apt with lists, archive and locks of its own in the folder `work`: it asks for no rights, waits for no other
 * apt, and changes nothing of the system.
 * @param more settings, in place of the machine's
 */
export function ownApt(work: string, more: AptSettings = {}): Apt {
  for (const folder of ['lists/partial', 'archives/partial']) {
    mkdirSync(join(work, folder), { recursive: true })
  }
  // Its lock lies beside it.
  const status = join(work, 'status')
  copyFileSync(STATUS, status)
  const config = join(work, 'apt.conf')
  writeFileSync(
    config,
    lines({
      'Dir::State::lists': join(work, 'lists'),
      'Dir::State::status': status,
      'Dir::Cache': work,
      // Nobody else: that user could not write into the folder. Only root could change to one.
      'APT::Sandbox::User': 'root',
      // Descriptions in other languages are of no use here.
      'Acquire::Languages': 'none',
      ...more,
    }),
  )
  return async (...args) => {
    const options = { cwd: work, timeout: PATIENCE_MS, maxBuffer: 64 * 1024 * 1024 }
    await promisify(execFile)('apt-get', ['-c', config, '-q', ...args], options)
  }
}

const lines = (settings: AptSettings): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} "${value}";\n`)
    .join('')

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { install } from '../../../src/network/programs/install-programs.ts'

const Install = suite('installing programs')

// What apt 2.6 says, of either of its locks.
const LISTS = `E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)
E: Unable to lock directory /var/lib/apt/lists/`
const PACKAGES =
  'E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?'

Install('waits for another apt that holds its lock, at either of its steps', async () => {
  const said: string[] = []
  const calls = await withApt(
    `case "$1.$n" in update.1) echo '${LISTS}' >&2; exit 100;; install.3) echo '${PACKAGES}' >&2; exit 100;; esac`,
    () => install(['redis-server'], (line) => said.push(line)),
  )
  assert.equal(calls, ['update', 'update', 'install', 'install'])
  assert.is(said.filter((line) => line.startsWith('waiting for another apt')).length, 2)
})

Install('waits as well on a machine whose apt speaks another language', async () => {
  const german = LISTS.replace('Could not get lock', 'Konnte Sperre nicht erlangen:')
  const calls = await withApt(
    `[ $n = 1 ] || exit 0; [ "$LC_ALL" = C ] && echo '${LISTS}' >&2 || echo '${german}' >&2; exit 100`,
    () => install(['redis-server'], () => {}),
  )
  assert.equal(calls, ['update', 'update', 'install'])
})

Install('gives up at once where apt fails for another reason', async () => {
  const calls = await withApt(`echo 'E: Unable to locate package' >&2; exit 100`, async () => {
    const why = await install(['redis-server'], () => {}).catch(({ message }: Error) => message)
    assert.match(why ?? 'nothing', /could not be installed: .*apt-get failed: E: Unable to locate/)
  })
  assert.equal(calls, ['update'])
})

/** With an apt-get, and a sudo, that do what `script` says of call `$n`. @returns what it was called for */
async function withApt(script: string, body: () => Promise<void>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'apt-'))
  const log = join(folder, 'calls')
  const program = (name: string, lines: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${lines}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  program('sudo', 'shift; exec "$@"')
  program('apt-get', `echo "$1" >>'${log}'; n=$(wc -l <'${log}' | tr -d ' ')\n${script}`)
  const before = process.env.PATH
  process.env.PATH = `${folder}${delimiter}${before}`
  try {
    await body()
    return readFileSync(log, 'utf8').trim().split('\n')
  } finally {
    process.env.PATH = before
    rmSync(folder, { recursive: true, force: true })
  }
}

Install.run()

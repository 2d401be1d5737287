import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

/** What workers of the first release read and write stays what it was. */
const Breaking = suite('worker protocol: changes')

const ROOT = resolve(import.meta.dirname, '../../..')
const PROTO = 'svc/worker/v1/worker.proto'
const FIRST = join(ROOT, 'test/fakes/worker-1.0/worker.proto')

let folder: string
Breaking.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-proto-'))
})
Breaking.after(() => rmSync(folder, { recursive: true, force: true }))

/** The module of the protocol, with another file in place of today's. */
function moduleOf(name: string, text: string): string {
  const module = join(folder, name)
  mkdirSync(join(module, 'svc/worker/v1'), { recursive: true })
  copyFileSync(join(ROOT, 'proto/buf.yaml'), join(module, 'buf.yaml'))
  writeFileSync(join(module, PROTO), text)
  return module
}

const breaks = (module: string) => {
  const against = moduleOf('first', readFileSync(FIRST, 'utf8'))
  const buf = join(ROOT, 'node_modules/.bin/buf')
  const { status, stdout, stderr } = spawnSync(buf, ['breaking', '--against', against], {
    cwd: module,
    encoding: 'utf8',
  })
  return { isBreaking: status !== 0, said: stdout + stderr }
}

Breaking('today’s protocol breaks nothing of the first release', () => {
  const today = join(folder, 'today')
  cpSync(join(ROOT, 'proto'), today, { recursive: true })
  const { isBreaking, said } = breaks(today)
  assert.not(isBreaking, said)
})

Breaking('a field that changes its number would be found', () => {
  const changed = readFileSync(FIRST, 'utf8').replace(
    'bytes session_token = 2;',
    'bytes session_token = 9;',
  )
  const { isBreaking, said } = breaks(moduleOf('changed', changed))
  assert.ok(isBreaking)
  assert.match(said, 'session_token')
})

Breaking.run()

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError } from '../../../src/config/read.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { readSettings } from '../../../src/worker/cli/settings.ts'
import { keys } from '../../../src/worker/commands/keys.ts'
import { status } from '../../../src/worker/commands/status.ts'
import { existingAddress, existingKey, openKey } from '../../../src/worker/key/open-key.ts'
import { listenForControl } from '../../../src/worker/local/control.ts'

/** What is wrong with files, told to the operator without a stack. */
const Files = suite('worker key files')

let folder: string
Files.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-key-'))
})
Files.after(() => rmSync(folder, { recursive: true, force: true }))

const settingsOf = (keystore: string) =>
  readSettings({
    flags: { keystore },
    env: { HOME: folder, WORKER_PASSWORD: 'correct horse' },
    file: undefined,
  })
function fileOf(text: string): string {
  const path = join(folder, 'keystore.json')
  writeFileSync(path, text)
  return path
}

Files('a keystore that is damaged is named, whatever asks for it', async () => {
  for (const text of ['', '{"address": "7e5f', 'null', '[]', '7', '{"address": 7}']) {
    const settings = settingsOf(fileOf(text))
    for (const ask of [
      async () => existingAddress(settings),
      () => keys(settings, 'show'),
      () => status(settings, false),
      () => existingKey(settings),
    ]) {
      await refuses(ask, /keystore\.json/)
    }
  }
})

Files('one that cannot be read is named, too', async () => {
  const path = join(folder, 'is-a-folder.json')
  mkdirSync(path)
  const settings = settingsOf(path)
  await refuses(() => status(settings, false), /is-a-folder\.json cannot be read/)
  await refuses(() => existingKey(settings), /is-a-folder\.json cannot be read/)
})

Files('a folder that may not be made is named, with what to do', async () => {
  const inFile = join(fileOf('{}'), 'below')
  await refuses(() => keys(settingsOf(join(inFile, 'k.json')), 'new'), /cannot be written.*--home/s)
  const worker = toAddress('0x7e5f4552091a69125d5dfcb7b8c2659029395bdf')
  const handlers = { report: () => assert.unreachable(), drain: () => {} }
  await refuses(
    () => listenForControl(inFile, worker, handlers as never),
    /cannot be made.*--home/s,
  )
})

Files('a password that is too short is refused, and no key is written with it', async () => {
  const keystore = join(folder, 'short.json')
  const env = { HOME: folder, WORKER_PASSWORD: '7 chars' }
  const settings = readSettings({ flags: { keystore }, env, file: undefined })
  await refuses(() => openKey(settings, () => {}), /at least 8 characters/)
  assert.not.ok(existsSync(keystore))
})

Files('a key in the environment is the one that counts, and makes no keystore', async () => {
  const keystore = join(folder, 'none.json')
  const env = { HOME: folder, WORKER_PRIVATE_KEY: `0x${'1'.padStart(64, '0')}` }
  const settings = readSettings({ flags: { keystore }, env, file: undefined })
  const address = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf'
  const { address: opened } = await openKey(settings, () => assert.unreachable('none is made'))
  assert.equal([opened, existingAddress(settings)], [address, address])
  assert.not.ok(existsSync(keystore))
})

async function refuses(call: () => Promise<unknown>, why: RegExp): Promise<void> {
  const error = await call().then(
    () => undefined,
    (cause: unknown) => cause,
  )
  assert.instance(error, ConfigError)
  assert.match((error as Error).message, why)
}

Files.run()

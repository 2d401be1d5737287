import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError } from '../../../src/config/read.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { readSettings } from '../../../src/worker/cli/settings.ts'
import { register } from '../../../src/worker/commands/register.ts'
import { existingAddress } from '../../../src/worker/key/open-key.ts'
import { listenForControl } from '../../../src/worker/local/control.ts'

const Beside = suite('worker: register, where an agent of the same key runs')

let home: string
Beside.before.each(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-register-'))
})
Beside.after.each(() => rmSync(home, { recursive: true, force: true }))

/** What an operator is told, who has an agent with this number and no pool that could be reached. */
async function told(workerId: number | null): Promise<unknown> {
  const env = { HOME: home, WORKER_PRIVATE_KEY: `0x${'7'.repeat(64)}`, WORKER_ENGINE: 'sample' }
  const flags = { home, pool: 'http://127.0.0.1:9', 'log-level': 'silent' }
  const settings = readSettings({ flags, env, file: undefined })
  const worker = toAddress(existingAddress(settings))
  const report = () => ({ workerId })
  const agent = await listenForControl(home, worker, { report, drain: () => {} } as never)
  return register(settings)
    .catch((error: unknown) => error)
    .finally(() => agent.close())
}

Beside('it says the number that the agent was told, and takes no pool away from it', async () => {
  assert.match(String(await told(7)), /^0x[0-9a-f]{40} is worker number 7$/)
})

Beside('where it has none yet, it registers by itself', async () => {
  const error = await told(null)
  assert.instance(error, ConfigError)
  assert.match((error as Error).message, /runs on this machine, and registers its key/)
})

Beside.run()

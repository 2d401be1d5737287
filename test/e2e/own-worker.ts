import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { privateKeyAddress } from '../../src/domain/proof.ts'

/** A worker that a test starts beside a network, and ends as it likes. */
export interface OwnWorker {
  /** As in `x-svc-worker`. */
  readonly address: string
  signal(signal: NodeJS.Signals): void
  /** Ends it, whatever was done to it before. */
  end(): Promise<void>
}

const ROOT = resolve(import.meta.dirname, '../..')

/** @param settings more of its environment */
export function startWorker(
  poolUrl: string,
  models: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): OwnWorker {
  const secret = randomBytes(32)
  const home = mkdtempSync(join(tmpdir(), 'svc-worker-'))
  const child: ChildProcess = spawn(
    process.execPath,
    [resolve(ROOT, 'src/network/program.mjs'), 'worker'],
    {
      cwd: ROOT,
      stdio: 'ignore',
      env: {
        ...process.env,
        POOL_URL: poolUrl,
        WORKER_HOME: home,
        WORKER_PRIVATE_KEY: `0x${secret.toString('hex')}`,
        WORKER_MODELS: models.join(','),
        WORKER_ENGINE: 'sample',
        ...settings,
      },
    },
  )
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    address: privateKeyAddress(secret),
    signal: (signal) => child.kill(signal),
    end: async () => {
      child.kill('SIGKILL')
      await ended
      rmSync(home, { recursive: true, force: true })
    },
  }
}

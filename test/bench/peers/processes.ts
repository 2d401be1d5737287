import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { freePort } from '../../integration/servers.ts'

/** A process of a peer, or of what stands behind it. */
export interface Started {
  readonly url: string
  readonly pid: number
  stop(): void
}

type Env = Readonly<Record<string, string>>
const PATIENCE_MS = 60_000
const LOOK_MS = 100

/** Starts a program that prints its URL when it listens. */
export async function startTelling(args: readonly string[], env: Env): Promise<Started> {
  const child = start(args, env, 'pipe')
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (data) => resolve(String(data).trim()))
    child.once('exit', () => reject(new Error(`${args.at(-1)} ended before it listened`)))
    setTimeout(() => reject(new Error(`${args.at(-1)} does not listen`)), PATIENCE_MS).unref()
  })
  return { url, pid: child.pid ?? 0, stop: () => child.kill() }
}

/** @param env `MOCK_TOKENS`, `MOCK_TOKEN_MS` */
export const startMockUpstream = (env: Env = {}): Promise<Started> =>
  startTelling(['--import', 'tsx', join(import.meta.dirname, '../mock-upstream.ts')], env)

/** Starts a program that is told its port, and says nothing that could be waited for. */
export async function startAt(
  args: (port: number) => readonly string[],
  env: Env,
): Promise<Started> {
  const port = await freePort()
  const child = start(args(port), env, 'ignore')
  const url = `http://127.0.0.1:${port}`
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; ) {
    const answers = await request(url).then(
      ({ body }) => body.dump().then(() => true),
      () => false,
    )
    if (answers) return { url, pid: child.pid ?? 0, stop: () => child.kill() }
    await sleep(LOOK_MS)
  }
  child.kill()
  throw new Error(`${args(port)[0]} does not answer at ${url}`)
}

function start(args: readonly string[], env: Env, stdout: 'pipe' | 'ignore'): ChildProcess {
  return spawn(process.execPath, args, {
    stdio: ['ignore', stdout, 'inherit'],
    env: { ...process.env, ...env },
  })
}

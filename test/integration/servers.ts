import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../until.ts'

/** A real server on a free port of this machine, with its data in a directory of its own. */
export interface Server {
  readonly url: string
  readonly pid: number
  /** Its data. */
  readonly dir: string
  /** Ends the process as a power cut would, and starts it again on the same data. */
  crash(): Promise<void>
  stop(): Promise<void>
}

const COMMANDS = {
  nats: (port: number, dir: string) => [
    'nats-server',
    '-a',
    '127.0.0.1',
    '-p',
    `${port}`,
    '-js',
    '-sd',
    dir,
  ],
  redis: (port: number, dir: string) => [
    'redis-server',
    '--bind',
    '127.0.0.1',
    '--port',
    `${port}`,
    '--dir',
    dir,
    '--appendonly',
    'yes',
    '--save',
    '',
  ],
} as const

export const startNats = (): Promise<Server> => startServer('nats', COMMANDS.nats)

/** Without JetStream: it can keep nothing. */
export const startBareNats = (): Promise<Server> =>
  startServer('nats', (port) => ['nats-server', '-a', '127.0.0.1', '-p', `${port}`])

export const startRedis = (): Promise<Server> => startServer('redis', COMMANDS.redis)

/** One that was looked for before it was there. */
export async function startServerOn(
  port: number,
  scheme: keyof typeof COMMANDS,
): Promise<Pick<Server, 'stop'>> {
  const dir = mkdtempSync(join(tmpdir(), `svc-${scheme}-`))
  const child = await launch(COMMANDS[scheme](port, dir), port, process.env)
  return {
    stop: async () => {
      child.kill('SIGKILL')
      await ended(child)
      await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

export async function startServer(
  scheme: string,
  command: (port: number, dir: string) => string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), `svc-${scheme}-`))
  const first = await onFreePort((port) => launch(command(port, dir), port, env))
  const { port } = first
  let { child } = first
  const end = async () => {
    child.kill('SIGKILL')
    await ended(child)
  }
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    get pid() {
      return child.pid!
    },
    dir,
    crash: async () => {
      await end()
      child = await launch(command(port, dir), port, env)
    },
    stop: async () => {
      await end()
      // A child of Redis that is writing its file anew outlives it for a moment.
      await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

async function launch(
  [program, ...args]: string[],
  port: number,
  env: NodeJS.ProcessEnv,
): Promise<ChildProcess> {
  const child = spawn(program!, args, { stdio: 'ignore', env })
  await untilListening(child, `${program} to listen on ${port}`, () => listens(port))
  return child
}

const PORT_TRIES = 3

/** @throws {EndedEarly} the process is gone: its port may have been taken in between */
export async function untilListening(
  child: ChildProcess,
  what: string,
  listens: () => Promise<boolean>,
): Promise<void> {
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  await until(what, async () => {
    if (hasEnded()) throw new EndedEarly(`it ended instead of ${what}`)
    return (await listens()) && !hasEnded()
  })
}

class EndedEarly extends Error {}

/** Starts what listens on a port. A port that is free now may be another's a moment later. */
export async function onFreePort<T>(
  start: (port: number) => Promise<T>,
): Promise<{ child: T; port: number }> {
  for (let tries = 1; ; tries++) {
    const port = await freePort()
    try {
      return { child: await start(port), port }
    } catch (error) {
      if (tries === PORT_TRIES || !(error instanceof EndedEarly)) throw error
    }
  }
}

/** Resolves once the process is gone, also where it was gone before. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  await new Promise((resolve) => child.once('exit', resolve))
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A real server on a free port of this machine, with its data in a directory of its own. */
export interface Server {
  readonly url: string
  readonly pid: number
  /** Ends the process as a power cut would, and starts it again on the same data. */
  crash(): Promise<void>
  stop(): Promise<void>
}

export const startNats = (): Promise<Server> =>
  start('nats', (port, dir) => [
    'nats-server',
    '-a',
    '127.0.0.1',
    '-p',
    `${port}`,
    '-js',
    '-sd',
    dir,
  ])

export const startRedis = (): Promise<Server> =>
  start('redis', (port, dir) => [
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
  ])

async function start(
  scheme: string,
  command: (port: number, dir: string) => string[],
): Promise<Server> {
  const port = await freePort()
  const dir = mkdtempSync(join(tmpdir(), `svc-${scheme}-`))
  let child = await launch(command(port, dir), port)
  const end = async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) {
      await new Promise((resolve) => child.once('exit', resolve))
    }
  }
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    get pid() {
      return child.pid!
    },
    crash: async () => {
      await end()
      child = await launch(command(port, dir), port)
    },
    stop: async () => {
      await end()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function launch([program, ...args]: string[], port: number): Promise<ChildProcess> {
  const child = spawn(program!, args, { stdio: 'ignore' })
  await within(10_000, `${program} to listen on ${port}`, () => listens(port))
  return child
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

/** Waits until `holds`, and fails by name when it does not in time. */
export async function within(
  ms: number,
  what: string,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + ms
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${ms} ms for ${what}`)
    await sleep(10)
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { NetworkFile } from '../../src/network/data/network-file.ts'
import { pause } from '../../src/network/waiting.ts'
import { freePortBase } from './free-ports.ts'

/** A whole network, started as `npm start` starts it, for a test that looks at it from outside. */
export interface Network extends NetworkFile {
  readonly dataDir: string
  readonly portBase: number
  readonly launcherPid: number
  /** network.json as it is now: it follows restarts. */
  read(): NetworkFile
  pids(role: Role): readonly number[]
  /** Signals one process of a role; the launcher will start it again. @returns its pid */
  kill(role: Role, signal?: NodeJS.Signals, index?: number): number
  /** What the launcher has shown so far. */
  screen(): string
  /** Ends the network as Ctrl-C does, and removes its data unless the test gave the folder. */
  stop(): Promise<void>
}

export type Role = NetworkFile['processes'][number]['role']

export interface NetworkOptions {
  /** Given: kept after `stop`, so that a second start finds the state. */
  readonly dataDir?: string
  readonly portBase?: number
  /** More flags of `npm start`, like `['--workers', '3']`. */
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Folder of the programs, where they are not those of this source. */
  readonly build?: string
  readonly startPatienceMs?: number
}

const LAUNCHER = resolve(import.meta.dirname, '../../src/network/start.mjs')
const LAUNCHER_OF_BUILD = resolve(import.meta.dirname, 'launch-build.mjs')
/** A machine that does much else takes minutes for what takes seconds. */
const START_PATIENCE_MS = 400_000
const STOP_PATIENCE_MS = 120_000
const LOOK_MS = 50

/** @throws with all that the launcher showed, when the network is not ready in time */
export async function startNetwork(options: NetworkOptions = {}): Promise<Network> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'svc-network-'))
  const portBase = options.portBase ?? (await freePortBase())
  const launcher = spawnLauncher(dataDir, portBase, options)
  const read = (): NetworkFile => JSON.parse(readFileSync(join(dataDir, 'network.json'), 'utf8'))
  const pids = (role: Role) =>
    read().processes.flatMap((process) => (process.role === role ? [process.pid] : []))

  const stop = async () => {
    await launcher.end()
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
  }
  const first = await launcher
    .whenReady(read, options.startPatienceMs ?? START_PATIENCE_MS)
    .catch(async (error: unknown) => {
      // The test runner counts what a `before` throws as failed tests, and does not say what it was.
      console.error(error)
      await stop()
      throw error
    })
  return {
    ...first,
    dataDir,
    portBase,
    launcherPid: launcher.pid,
    read,
    pids,
    kill: (role, signal = 'SIGKILL', index = 0) => {
      const pid = pids(role)[index]
      if (pid === undefined) throw new Error(`no ${role} number ${index} is running`)
      process.kill(pid, signal)
      return pid
    },
    screen: launcher.screen,
    stop,
  }
}

function spawnLauncher(
  dataDir: string,
  portBase: number,
  { flags = [], env, build }: NetworkOptions,
) {
  const program = build ? LAUNCHER_OF_BUILD : LAUNCHER
  const args = [program, '--data-dir', dataDir, '--port-base', String(portBase), ...flags]
  const launcher = spawn(process.execPath, args, {
    // The open input tells it that this test is alive: a test that is killed takes its network along.
    // All requests of a test come from one address.
    env: {
      ...process.env,
      ...{ EDGE_BURST: '0', WEB_BURST: '0' },
      ...env,
      ...(build && { TEST_BUILD: build }),
      SVC_SUPERVISED: '1',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Killed with the test's group it could not end its own processes.
    detached: true,
  })
  let shown = ''
  for (const stream of [launcher.stdout, launcher.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      shown += text
    })
  }
  const ended = new Promise<void>((resolve) => {
    launcher.once('close', () => resolve())
  })
  if (launcher.pid === undefined) throw new Error(`${process.execPath} cannot be started`)
  return {
    pid: launcher.pid,
    screen: () => shown,
    end: () => endLauncher(launcher, ended),
    whenReady: async (read: () => NetworkFile, patienceMs: number): Promise<NetworkFile> => {
      const deadline = performance.now() + patienceMs
      while (performance.now() < deadline && launcher.exitCode === null && !launcher.signalCode) {
        const network = orUndefined(read)
        if (network) return network
        await pause(LOOK_MS)
      }
      throw new Error(`the network is not ready after ${patienceMs} ms. Its screen:\n${shown}`)
    },
  }
}

async function endLauncher(launcher: ChildProcess, ended: Promise<void>): Promise<void> {
  launcher.kill('SIGTERM')
  const impatient = setTimeout(() => launcher.kill('SIGKILL'), STOP_PATIENCE_MS)
  await ended
  clearTimeout(impatient)
}

/** The file is written whole, so that it is either there or not. */
function orUndefined(read: () => NetworkFile): NetworkFile | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

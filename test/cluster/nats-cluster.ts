import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { connect } from 'nats'
import { natsAddress } from '../../src/bus/connection/address.ts'
import type { NatsRole } from '../../src/bus/permissions.ts'
import { natsPasswords, natsUrlAs } from '../../src/network/servers/server-users.ts'
import { freePortBase } from '../network/free-ports.ts'
import { until } from '../until.ts'
import { type ClusterState, makeClusterState } from './cluster-state.ts'
import { findClusterNats } from './nats-server.ts'
import { HOST, layRoutes, type Routes } from './routes.ts'

/** Three nats-servers with the configuration that operators get, on this machine. */
export interface NatsCluster extends ClusterState {
  /** All three, without a user. */
  readonly url: string
  readonly names: readonly string[]
  /** What `npm start` must be told to run on it, each role as its user. */
  readonly env: Readonly<Record<string, string>>
  urlAs(role: NatsRole): string
  pidOf(name: string): number
  /** Ends one server and waits until it is gone. */
  end(name: string, signal: NodeJS.Signals): Promise<void>
  /** Starts one that was ended, on its data. */
  start(name: string): Promise<void>
  /** Between the servers; clients still reach each of them. */
  readonly routes: Pick<Routes, 'cutOff' | 'heal'>
  /** Until each server runs and every copy of every stream has all that was written. */
  untilWhole(withinMs?: number): Promise<void>
  /** Copies what the servers wrote. */
  keepLogs(folder: string): void
  stop(): Promise<void>
}

const CONFIG = resolve(import.meta.dirname, '../../deploy/nats-cluster.conf')
const NAMES = ['n1', 'n2', 'n3']
const WHOLE_MS = 60_000
/** Where nobody listens: told of each other's own address, servers would go around what can be cut. */
const NOWHERE = `${HOST}:1`

export async function startNatsCluster(): Promise<NatsCluster> {
  const program = await findClusterNats()
  const dir = mkdtempSync(join(tmpdir(), 'svc-cluster-'))
  const base = await freePortBase()
  const clientPort = (name: string) => base + NAMES.indexOf(name)
  const routePort = (name: string) => base + 10 + NAMES.indexOf(name)
  const logOf = (name: string) => join(dir, `${name}.log`)
  const routes = await layRoutes(NAMES, routePort)
  const running = new Map<string, ChildProcess>()
  const url = NAMES.map((name) => `nats://${HOST}:${clientPort(name)}`).join(',')
  const keys = { server_passwords: randomBytes(32).toString('hex') }
  const passwords = natsPasswords(keys)
  const urlAs = (role: NatsRole) => natsUrlAs(url, keys, role)

  const launch = (name: string) => {
    const log = openSync(logOf(name), 'a')
    const child = spawn(
      program,
      [
        ...['--config', CONFIG, '--server_name', name, '--store_dir', join(dir, name)],
        ...['--addr', HOST, '--port', String(clientPort(name))],
        ...['--cluster', `nats://${HOST}:${routePort(name)}`, '--routes', routes.urls(name)],
        ...['--cluster_advertise', NOWHERE],
      ],
      { stdio: ['ignore', log, log], env: { ...process.env, ...passwords } },
    )
    closeSync(log)
    running.set(name, child)
  }
  const runningOf = (name: string): ChildProcess => {
    const child = running.get(name)
    if (!child) throw new Error(`${name} does not run`)
    return child
  }
  const end = async (name: string, signal: NodeJS.Signals) => {
    const child = runningOf(name)
    running.delete(name)
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await gone
  }

  for (const name of NAMES) launch(name)
  const connection = await connect({
    ...natsAddress(urlAs('operator')),
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
  })
  const state = makeClusterState(connection, NAMES.length)
  const stop = async () => {
    await connection.close()
    await Promise.all([...running.keys()].map((name) => end(name, 'SIGKILL')))
    routes.close()
    rmSync(dir, { recursive: true, force: true })
  }
  const untilWhole = async (withinMs = WHOLE_MS) => {
    await until('a whole cluster', () => state.isWhole(), withinMs).catch((error: unknown) => {
      throw new Error(`${error}\n${NAMES.map((name) => tail(logOf(name))).join('\n')}`)
    })
  }
  try {
    await untilWhole()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    ...{ ...state, url, names: NAMES, urlAs, end, routes, untilWhole, stop },
    env: { ...passwords, NATS_URL: url, NATS_REPLICAS: String(NAMES.length) },
    pidOf: (name) => runningOf(name).pid!,
    start: async (name) => {
      if (running.has(name)) throw new Error(`${name} runs already`)
      launch(name)
    },
    keepLogs: (folder) => {
      for (const name of NAMES) cpSync(logOf(name), join(folder, `${name}.log`))
    },
  }
}

const tail = (file: string): string =>
  `${file}:\n${readFileSync(file, 'utf8').split('\n').slice(-15).join('\n')}`

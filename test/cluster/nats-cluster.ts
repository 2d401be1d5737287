import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { connect, type NatsConnection, type StreamInfo } from 'nats'
import { until } from '../e2e/until.ts'
import { freePortBase } from '../network/network.ts'
import { findClusterNats } from './nats-server.ts'

/** Three nats-servers with the configuration that operators get, on this machine. */
export interface NatsCluster {
  /** As NATS_URL takes it. */
  readonly url: string
  readonly names: readonly string[]
  urlOf(name: string): string
  /** Who leads the stream now; waited for. */
  leaderOf(stream: string): Promise<string>
  /** Who has a copy of the stream and does not lead it. */
  followersOf(stream: string): Promise<readonly string[]>
  infoOf(stream: string): Promise<StreamInfo>
  /** Ends one server and waits until it is gone. */
  end(name: string, signal: NodeJS.Signals): Promise<void>
  /** Starts one that was ended, on its data. */
  start(name: string): Promise<void>
  /** Until each server runs and every copy of every stream has all that was written. */
  untilWhole(): Promise<void>
  stop(): Promise<void>
}

const CONFIG = resolve(import.meta.dirname, '../../deploy/nats-cluster.conf')
const NAMES = ['n1', 'n2', 'n3']
const HOST = '127.0.0.1'
const LEADER_MS = 30_000
const WHOLE_MS = 60_000

export async function startNatsCluster(): Promise<NatsCluster> {
  const program = await findClusterNats()
  const dir = mkdtempSync(join(tmpdir(), 'svc-cluster-'))
  const base = await freePortBase()
  const clientPort = (name: string) => base + NAMES.indexOf(name)
  const routePort = (name: string) => base + 10 + NAMES.indexOf(name)
  const running = new Map<string, ChildProcess>()
  const urlOf = (name: string) => `nats://${HOST}:${clientPort(name)}`
  const url = NAMES.map(urlOf).join(',')

  const launch = (name: string) => {
    const routes = NAMES.map((other) => `nats://${HOST}:${routePort(other)}`)
    const log = openSync(join(dir, `${name}.log`), 'a')
    const child = spawn(
      program,
      [
        ...['--config', CONFIG, '--server_name', name, '--store_dir', join(dir, name)],
        ...['--addr', HOST, '--port', String(clientPort(name))],
        ...['--cluster', `nats://${HOST}:${routePort(name)}`, '--routes', routes.join(',')],
      ],
      { stdio: ['ignore', log, log] },
    )
    closeSync(log)
    running.set(name, child)
  }
  const end = async (name: string, signal: NodeJS.Signals) => {
    const child = running.get(name)
    if (!child) throw new Error(`${name} does not run`)
    running.delete(name)
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await gone
  }
  const logs = () => NAMES.map((name) => tail(join(dir, `${name}.log`))).join('\n')

  for (const name of NAMES) launch(name)
  const connection = await connect({
    servers: url.split(','),
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
  })
  const questions = makeQuestions(connection)
  const stop = async () => {
    await connection.close()
    await Promise.all([...running.keys()].map((name) => end(name, 'SIGKILL')))
    rmSync(dir, { recursive: true, force: true })
  }
  const untilWhole = () =>
    until('a whole cluster', () => questions.isWhole(), WHOLE_MS).then(
      () => {},
      (error: unknown) => {
        throw new Error(`${error}\n${logs()}`)
      },
    )
  try {
    await untilWhole()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url,
    names: NAMES,
    urlOf,
    ...questions,
    end,
    start: async (name) => {
      if (running.has(name)) throw new Error(`${name} runs already`)
      launch(name)
    },
    untilWhole,
    stop,
  }
}

function makeQuestions(connection: NatsConnection) {
  const jsm = () => connection.jetstreamManager({ checkAPI: false, timeout: 2_000 })
  /** Undefined while nobody can tell. */
  const ask = async <T>(question: () => Promise<T>) => question().catch(() => undefined)
  const infoOf = (stream: string): Promise<StreamInfo> =>
    until(
      `the state of ${stream}`,
      () => ask(async () => (await jsm()).streams.info(stream)),
      LEADER_MS,
    )
  const leaderOf = (stream: string): Promise<string> =>
    until(
      `a leader of ${stream}`,
      async () => (await ask(() => infoOf(stream)))?.cluster?.leader || undefined,
      LEADER_MS,
    )
  return {
    infoOf,
    leaderOf,
    followersOf: async (stream: string) =>
      ((await infoOf(stream)).cluster?.replicas ?? []).map(({ name }) => name),
    isWhole: async (): Promise<boolean> => {
      const streams = await ask(async () => (await jsm()).streams.list().next())
      if (!streams) return false
      const servers = connection.info?.connect_urls ?? []
      return (
        servers.length >= NAMES.length &&
        streams.every(
          ({ cluster, config }) =>
            cluster?.leader &&
            (cluster.replicas ?? []).length === config.num_replicas - 1 &&
            (cluster.replicas ?? []).every(({ current, offline }) => current && !offline),
        )
      )
    },
  }
}

const tail = (file: string): string =>
  `${file}:\n${readFileSync(file, 'utf8').split('\n').slice(-15).join('\n')}`

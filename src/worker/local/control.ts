import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { ConfigError } from '../../config/read.ts'
import type { Address } from '../../domain/ids.ts'
import type { AgentReport } from '../status/report.ts'

/**
 * How other commands reach the agent that runs on this machine: a socket in the agent's folder that
 * only its owner can open. One line of question, lines of answers.
 */
export type Question = 'status' | 'drain'

/** What this key's agent keeps: several agents may share a home, a key has one agent. */
export const folderOf = (home: string, worker: Address): string => join(home, worker)

/** Beside that folder and short: the address of a socket holds about a hundred bytes. */
const socketPath = (home: string, worker: Address): string =>
  join(home, `${worker.slice(2, 12)}.sock`)
const PATH_BYTES_MAX = 100

const ANSWER_MS = 5_000
const QUESTION_BYTES_MAX = 64

export interface ControlHandlers {
  report(): AgentReport
  /** Begins to leave. The socket closes when the process ends. */
  drain(): void
}

/** Whether an agent with this home can be reached at all. */
export const canListen = (home: string, worker: Address): boolean =>
  Buffer.byteLength(socketPath(home, worker)) <= PATH_BYTES_MAX

/**
 * Listens for questions.
 * @throws {ConfigError} where an agent of this key runs already
 */
export async function listenForControl(
  home: string,
  worker: Address,
  handlers: ControlHandlers,
): Promise<{ close(): Promise<void> }> {
  const path = socketPath(home, worker)
  makeFolder(folderOf(home, worker))
  if ((await ask(home, worker, 'status')) !== undefined) {
    throw new ConfigError(`an agent of ${worker} runs on this machine already: svc-worker status`)
  }
  // Left by an agent that was killed.
  rmSync(path, { force: true })
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    answer(socket, handlers)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, resolve)
  })
  chmodSync(path, 0o600)
  // It must not keep the process from ending.
  server.unref()
  return { close: () => close(server, open) }
}

/** @throws {ConfigError} where it may not be made */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new ConfigError(
      `${path} cannot be made: ${(error as Error).message}. Name another --home, ` +
        'or give this user the right to write there',
    )
  }
}

function answer(socket: Socket, handlers: ControlHandlers): void {
  let heard = ''
  socket.on('error', () => socket.destroy())
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard += text
    if (!heard.includes('\n') && heard.length < QUESTION_BYTES_MAX) return
    const question = heard.trim()
    heard = ''
    if (question !== 'status' && question !== 'drain') return socket.destroy()
    socket.write(`${JSON.stringify(handlers.report())}\n`)
    if (question === 'drain') handlers.drain()
  })
}

/** Whoever asked for a drain waits for the end of the connection. */
function close(server: Server, open: ReadonlySet<Socket>): Promise<void> {
  for (const socket of open) socket.destroy()
  return new Promise((resolve) => server.close(() => resolve()))
}

/**
 * The running agent's report, or undefined where none runs.
 * @throws {ConfigError} where one runs and does not answer: its key, and what it has signed, are still in use
 */
export function ask(
  home: string,
  worker: Address,
  question: Question,
  gone: () => void = () => {},
): Promise<AgentReport | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath(home, worker))
    const late = setTimeout(() => {
      if (!socket.connecting) reject(silent(worker))
      socket.destroy()
    }, ANSWER_MS)
    let heard = ''
    socket.on('connect', () => socket.write(`${question}\n`))
    socket.setEncoding('utf8').on('data', (text: string) => {
      heard += text
      const end = heard.indexOf('\n')
      if (end < 0) return
      clearTimeout(late)
      resolve(JSON.parse(heard.slice(0, end)) as AgentReport)
      if (question === 'status') socket.destroy()
    })
    // No socket, or nobody behind it: no agent.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(late)
      resolve(undefined)
      gone()
    })
  })
}

const silent = (worker: Address): ConfigError =>
  new ConfigError(
    `an agent of ${worker} runs on this machine and has not answered for ${ANSWER_MS / 1_000} s: it was halted, or ` +
      'hangs. Let it go on, or end its process, before another one is started',
  )

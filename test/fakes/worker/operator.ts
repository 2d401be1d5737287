import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { until } from '../../until.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const COMMAND_MS = 180_000
const PASSWORD = 'correct horse battery'

export interface Said {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The agent as one file, as operators get it. @returns its path */
export function buildAgent(folder: string): string {
  const file = join(folder, 'svc-worker.mjs')
  execFileSync(process.execPath, [join(ROOT, 'src/worker/bundle/build.mjs'), file])
  return file
}

/** An operator at a machine of their own: an empty home, and only what a test gives them. */
export class Operator {
  readonly home = mkdtempSync(join(tmpdir(), 'svc-operator-'))
  private readonly running = new Set<ChildProcess>()

  /** @param program what Node is told to run */
  constructor(private readonly program: readonly string[]) {}

  /** Runs a command to its end. */
  command(args: readonly string[], input = ''): Promise<Said> {
    const child = this.spawn(args)
    const said = { out: '', err: '' }
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      said.out += text
    })
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said.err += text
    })
    child.stdin!.on('error', () => {})
    child.stdin!.end(input)
    const late = setTimeout(() => child.kill('SIGKILL'), COMMAND_MS)
    return new Promise((done) => {
      child.once('close', (code) => {
        clearTimeout(late)
        done({ code, ...said })
      })
    })
  }

  /** Starts an agent that goes on. */
  start(args: readonly string[]): RunningAgent {
    const child = this.spawn(args)
    child.stdin!.end()
    return new RunningAgent(child)
  }

  async close(): Promise<void> {
    for (const child of this.running) child.kill('SIGKILL')
    await until('agents to end', () => this.running.size === 0)
    rmSync(this.home, { recursive: true, force: true })
  }

  private spawn(args: readonly string[]): ChildProcess {
    // Nothing of the tester's own environment but the way to programs.
    const env = { PATH: process.env.PATH, HOME: this.home, WORKER_PASSWORD: PASSWORD }
    const child = spawn(process.execPath, [...this.program, ...args], { cwd: this.home, env })
    this.running.add(child)
    child.once('close', () => this.running.delete(child))
    return child
  }
}

export class RunningAgent {
  /** Both streams, as they came. */
  shown = ''
  private readonly ended: Promise<number | null>

  constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.shown += text
      })
    }
    this.ended = new Promise((done) => child.once('close', done))
  }

  async shows(words: string, withinMs = 20_000): Promise<void> {
    const failed = () => this.child.exitCode !== null
    await until(
      () => `the agent to show "${words}"; it shows:\n${this.shown}`,
      () => {
        if (this.shown.includes(words)) return true
        if (failed()) throw new Error(`the agent ended without "${words}":\n${this.shown}`)
        return false
      },
      withinMs,
    )
  }

  /** Its exit code. */
  async ends(withinMs = 20_000): Promise<number | null> {
    let code: number | null | undefined
    void this.ended.then((value) => {
      code = value
    })
    await until('the agent to end', () => code !== undefined, withinMs)
    return code!
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { openProcessLog } from './process-log.ts'

export type Role = 'edge' | 'web' | 'actors' | 'pool' | 'worker' | 'nats' | 'redis' | 'chain'

/** One process to keep running. */
export interface Program {
  readonly role: Role
  /** Unique within the network; also the name of its log. */
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
  /** The whole environment; the launcher's own when left out. */
  readonly env?: Readonly<Record<string, string>>
  /** True: the process itself ends when its standard input does. */
  readonly supervised?: boolean
  /** Called before each start, when the one before is gone. */
  readonly prepare?: () => void
}

interface Around {
  /** Folder of the logs. */
  readonly logs: string
  /** What to put before a program that cannot watch its standard input. */
  readonly deathNotice: readonly string[]
  say(line: string): void
  /** After each start and each end of the process. */
  changed(): void
}

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000
// A process that lived this long was well; its next end is a new story.
const WELL_AFTER_MS = 10_000

/** One program that is kept running: when it ends it is started again, later each time it ends soon. */
export class KeptProgram {
  private child: ChildProcess | undefined
  private pauseMs = FIRST_PAUSE_MS
  private restart: NodeJS.Timeout | undefined
  /** It should not run any more. */
  private stopped = false
  private ending: Promise<void> | undefined
  /** Called when the process is gone, once somebody waits for that. */
  private gone: (() => void) | undefined

  constructor(
    readonly program: Program,
    private readonly around: Around,
  ) {}

  /** Undefined: it does not run at the moment. */
  get pid(): number | undefined {
    return this.child?.pid
  }

  run(): void {
    const { program, around } = this
    try {
      program.prepare?.()
    } catch (error) {
      this.ended(performance.now(), String(error))
      return
    }
    const [command, ...args] = [
      ...(program.supervised ? [] : around.deathNotice),
      program.command,
      ...program.args,
    ]
    const startedAt = performance.now()
    const log = openProcessLog(around.logs, program.name, around.say)
    // A group of its own, so that Ctrl-C reaches the launcher alone and the order of ending holds.
    const child = spawn(command!, args, {
      cwd: program.cwd,
      env: program.env,
      detached: true,
      stdio: [program.supervised ? 'pipe' : 'ignore', log.fd, log.fd],
    })
    this.child = child
    // Writing to a process that is gone is reported here too; its end is what matters.
    child.stdin?.on('error', () => {})
    child.once('exit', () => killGroup(child))
    let failure: string | undefined
    child.once('error', (error) => {
      failure = error.message
    })
    child.once('close', (code, signal) => {
      const lastLine = log.close()
      this.ended(startedAt, failure ?? endOf(code, signal, lastLine))
    })
    around.changed()
  }

  /**
   * Resolves when it is gone, which is after `patienceMs` at the latest; it is not started again. Asked once
   * more, it waits for the same: a second SIGTERM would end some that are writing down their state.
   */
  stop(patienceMs: number): Promise<void> {
    this.stopped = true
    clearTimeout(this.restart)
    this.ending ??= this.end(patienceMs)
    return this.ending
  }

  private async end(patienceMs: number): Promise<void> {
    const { child } = this
    if (!child) return
    const gone = new Promise<void>((resolve) => {
      this.gone = resolve
    })
    child.kill('SIGTERM')
    const impatient = setTimeout(() => killGroup(child), patienceMs)
    await gone
    clearTimeout(impatient)
  }

  /** At once, without grace. */
  kill(): void {
    this.stopped = true
    clearTimeout(this.restart)
    if (this.child) killGroup(this.child)
  }

  private ended(startedAt: number, reason: string): void {
    const { program, around } = this
    this.child = undefined
    // First: what is written down of it may fail, as on a full disk, and whoever waits would wait for ever.
    this.gone?.()
    around.changed()
    if (this.stopped) return
    if (performance.now() - startedAt > WELL_AFTER_MS) this.pauseMs = FIRST_PAUSE_MS
    around.say(`! ${program.name} stopped (${reason}); starting it again`)
    this.restart = setTimeout(() => this.run(), this.pauseMs)
    this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

function endOf(code: number | null, signal: string | null, lastLine: string): string {
  // A signal comes from outside: what the process said before has nothing to do with it.
  if (signal) return `ended by ${signal}`
  return lastLine ? `exit code ${code}: ${lastLine}` : `exit code ${code}`
}

/** The process and whatever it started itself. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // Nothing left of it; macOS says EPERM of a group whose members have all ended.
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}

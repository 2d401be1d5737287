import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { openProcessLog, rotateLog } from './process-log.ts'

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

export interface Running {
  readonly role: Role
  readonly name: string
  readonly pid: number
}

export interface Supervisor {
  start(program: Program): void
  running(): readonly Running[]
  /** Ends these roles and does not start them again; resolves when all are gone. */
  stop(roles: readonly Role[], patienceMs: number): Promise<void>
  /** Ends all processes at once, without grace. */
  kill(): void
}

export interface SupervisorOptions {
  readonly logs: string
  say(line: string): void
  /** After each start and each end of a process. */
  changed(): void
}

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000
// A process that lived this long was well; its next end is a new story.
const WELL_AFTER_MS = 10_000

interface Kept {
  readonly program: Program
  child: ChildProcess | undefined
  pauseMs: number
  restart: NodeJS.Timeout | undefined
  /** Set once it should not run any more; called when it is gone. */
  gone: (() => void) | undefined
}

/** Keeps programs running: one that ends is started again, later each time it ends soon. */
export function makeSupervisor(options: SupervisorOptions): Supervisor {
  const kept: Kept[] = []
  const stopped = new Set<Role>()
  const deathNotice = findDeathNotice()

  function run(entry: Kept): void {
    const { program } = entry
    try {
      program.prepare?.()
    } catch (error) {
      ended(entry, performance.now(), String(error))
      return
    }
    const [command, ...args] = [
      ...(program.supervised ? [] : deathNotice),
      program.command,
      ...program.args,
    ]
    const startedAt = performance.now()
    const log = openProcessLog(options.logs, program.name, options.say)
    // A group of its own, so that Ctrl-C reaches the launcher alone and the order of ending holds.
    const child = spawn(command!, args, {
      cwd: program.cwd,
      env: program.env,
      detached: true,
      stdio: [program.supervised ? 'pipe' : 'ignore', log.fd, log.fd],
    })
    entry.child = child
    // Writing to a process that is gone is reported here too; its end is what matters.
    child.stdin?.on('error', () => {})
    child.once('exit', () => killGroup(child))
    let failure: string | undefined
    child.once('error', (error) => {
      failure = error.message
    })
    child.once('close', (code, signal) => {
      const lastLine = log.close()
      ended(entry, startedAt, failure ?? endOf(code, signal, lastLine))
    })
    options.changed()
  }

  function ended(entry: Kept, startedAt: number, reason: string): void {
    entry.child = undefined
    options.changed()
    entry.gone?.()
    if (stopped.has(entry.program.role)) return
    if (performance.now() - startedAt > WELL_AFTER_MS) entry.pauseMs = FIRST_PAUSE_MS
    options.say(`! ${entry.program.name} stopped (${reason}); starting it again`)
    entry.restart = setTimeout(() => run(entry), entry.pauseMs)
    entry.pauseMs = Math.min(entry.pauseMs * 2, LONGEST_PAUSE_MS)
  }

  return {
    start: (program) => {
      // A start that was under way when the order to stop came.
      if (stopped.has(program.role)) return
      rotateLog(options.logs, program.name)
      const entry: Kept = {
        program,
        child: undefined,
        pauseMs: FIRST_PAUSE_MS,
        restart: undefined,
        gone: undefined,
      }
      kept.push(entry)
      run(entry)
    },
    running: () =>
      kept.flatMap(({ program: { role, name }, child }) =>
        child?.pid === undefined ? [] : [{ role, name, pid: child.pid }],
      ),
    stop: async (roles, patienceMs) => {
      for (const role of roles) stopped.add(role)
      await Promise.all(
        kept.filter(({ program }) => roles.includes(program.role)).map((e) => end(e, patienceMs)),
      )
    },
    kill: () => {
      for (const entry of kept) {
        stopped.add(entry.program.role)
        clearTimeout(entry.restart)
        if (entry.child) killGroup(entry.child)
      }
    },
  }
}

function endOf(code: number | null, signal: string | null, lastLine: string): string {
  // A signal comes from outside: what the process said before has nothing to do with it.
  if (signal) return `ended by ${signal}`
  return lastLine ? `exit code ${code}: ${lastLine}` : `exit code ${code}`
}

async function end(entry: Kept, patienceMs: number): Promise<void> {
  clearTimeout(entry.restart)
  const { child } = entry
  if (!child) return
  const gone = new Promise<void>((resolve) => {
    entry.gone = resolve
  })
  child.kill('SIGTERM')
  const impatient = setTimeout(() => killGroup(child), patienceMs)
  await gone
  clearTimeout(impatient)
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

/**
 * What to put before a server that cannot watch its standard input, so that the system ends it when
 * this process dies without a word. Where there is no such thing, the next start ends it.
 */
function findDeathNotice(): readonly string[] {
  const notice = ['setpriv', '--pdeathsig', 'TERM']
  const [command, ...args] = [...notice, 'true']
  return process.platform === 'linux' && spawnSync(command!, args).status === 0 ? notice : []
}

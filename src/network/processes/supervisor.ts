import { spawnSync } from 'node:child_process'
import { KeptProgram, type Program, type Role } from './kept-program.ts'
import { rotateLog } from './process-log.ts'

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

/** Keeps the programs of a network running, each role until it is stopped. */
export function makeSupervisor({ logs, say, changed }: SupervisorOptions): Supervisor {
  const kept: KeptProgram[] = []
  const stopped = new Set<Role>()
  const deathNotice = findDeathNotice()

  return {
    start: (program) => {
      // A start that was under way when the order to stop came.
      if (stopped.has(program.role)) return
      rotateLog(logs, program.name)
      const entry = new KeptProgram(program, { logs, deathNotice, say, changed })
      kept.push(entry)
      entry.run()
    },
    running: () =>
      kept.flatMap(({ program: { role, name }, pid }) =>
        pid === undefined ? [] : [{ role, name, pid }],
      ),
    stop: async (roles, patienceMs) => {
      for (const role of roles) stopped.add(role)
      await Promise.all(
        kept
          .filter(({ program }) => roles.includes(program.role))
          .map((each) => each.stop(patienceMs)),
      )
    },
    kill: () => {
      for (const each of kept) {
        stopped.add(each.program.role)
        each.kill()
      }
    },
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

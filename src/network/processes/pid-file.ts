import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { isMissing, writeWhole } from '../data/whole-file.ts'
import { waitFor } from '../waiting.ts'

const processSchema = z.object({
  pid: z.number(),
  name: z.string(),
  /** When it was born, by the system's own account: a pid alone is given out again. */
  born: z.string(),
})
const pidsSchema = z.object({ launcher: processSchema, processes: z.array(processSchema) })
type KnownProcess = z.infer<typeof processSchema>

/** Remembers what runs, for a next start that finds the launcher gone and its processes not. */
export const writePids = (file: string, processes: readonly Running[]): void =>
  writeWhole(file, textOf(processes))

interface Running {
  readonly pid: number
  readonly name: string
}

function textOf(processes: readonly Running[]): string {
  const launcher = known({ pid: process.pid, name: 'launcher' })
  return JSON.stringify({ launcher, processes: processes.map(known).filter((p) => p.born !== '') })
}

/**
 * Makes the file this launcher's own, of which nothing runs yet.
 * @throws when another one, which is alive, has it: also where both start at the same moment
 */
export function claimPids(file: string): void {
  leftIn(file)
  // Of one that is gone.
  rmSync(file, { force: true })
  try {
    writeFileSync(file, textOf([]), { flag: 'wx' })
  } catch (error) {
    // Half of it, for want of room, would be in the way of a next start.
    if (!isTaken(error)) rmSync(file, { force: true })
    else leftIn(file)
    throw error
  }
}

/**
 * Ends what a launcher that was killed has left running.
 * @param patienceMs how long each has to end by itself
 * @returns the names of what was ended
 * @throws when the launcher of that folder is alive: two would write over each other's state
 */
export async function endLeftovers(
  file: string,
  patienceMs = PATIENCE_MS,
): Promise<readonly string[]> {
  const left = leftIn(file)
  await Promise.all(left.map((each) => end(each, patienceMs)))
  // Meanwhile another start may have waited for the same, and be there already.
  if (left.length > 0) leftIn(file)
  return left.map(({ name }) => name)
}

/** @throws when the launcher that wrote the file is alive */
function leftIn(file: string): readonly KnownProcess[] {
  const pids = readPids(file)
  if (!pids) return []
  if (isAlive(pids.launcher)) {
    throw new Error(
      `a network is already running from this data directory (process ${pids.launcher.pid}); end it with Ctrl-C there, or give another --data-dir and --port-base`,
    )
  }
  return pids.processes.filter(isAlive)
}

const PATIENCE_MS = 10_000
/** Until the system has taken back the ports and files of one that was killed. */
const KILLED_PATIENCE_MS = 5_000
const LOOK_MS = 50

async function end(leftover: KnownProcess, patienceMs: number): Promise<void> {
  signal(leftover, 'SIGTERM')
  if (await hasEnded(leftover, patienceMs)) return
  signal(leftover, 'SIGKILL')
  await hasEnded(leftover, KILLED_PATIENCE_MS)
}

/** It may end by itself at any moment: its launcher is gone. */
function signal({ pid }: KnownProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

async function hasEnded(leftover: KnownProcess, patienceMs: number): Promise<boolean> {
  const ended = async () => !isAlive(leftover) || undefined
  return (await waitFor(ended, patienceMs, LOOK_MS)) === true
}

function readPids(file: string): z.infer<typeof pidsSchema> | undefined {
  try {
    return pidsSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw new Error(`${file} cannot be read; end what it names and remove it`, { cause })
  }
}

const known = ({ pid, name }: Running): KnownProcess => ({
  pid,
  name,
  born: birthOf(pid) ?? '',
})

const isAlive = ({ pid, born }: KnownProcess): boolean => birthOf(pid) === born

/** Undefined: no such process, or all of it has ended and waits for its parent to notice. */
function birthOf(pid: number): string | undefined {
  if (existsSync('/proc/self/stat')) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      // The name in parentheses may hold spaces; the state and then the start time follow it.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      // The first thread may have ended before the others, which still hold its ports and files.
      const [state, threads] = [fields[0], Number(fields[17])]
      return state === 'Z' && threads <= 1 ? undefined : fields[19]
    } catch (error) {
      if (isMissing(error) || isGone(error)) return undefined
      throw error
    }
  }
  return birthByPs(pid)
}

/** On systems without /proc. It is a time in words: those must not differ where two starts are told other ones. */
export function birthByPs(pid: number): string | undefined {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
  try {
    const born = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env })
    return born.trim() || undefined
  } catch {
    return undefined // ps ends with 1 when there is no such process
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST'

// A process that ends while its file is being read, or before it is told to.
const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ESRCH'

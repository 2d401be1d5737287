import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { type Hex32, parseJobId, toHex32 } from '../../domain/ids.ts'
import type { Completion } from '../../domain/proof.ts'
import { notWritable } from './new-file.ts'

/** Longer than any job lives, from its lock to the end of its arbitration window. */
const KEPT_SECONDS = 24 * 3_600
/** So many lines that are old, and as many as are not, may be in the file: then it is written anew. */
const OLD_LINES_MAX = 10_000

/** For the operator. */
export const NOT_WRITTEN =
  'signed.log cannot be written, and nothing is signed without: no jobs are taken until it can. ' +
  'Make room on the disk of --home, or give this user the right to write there'

interface Signed {
  readonly outputHash: Hex32
  readonly outputTokens: number
  readonly completedAt: number
}

/**
 * Which completions this key has signed. Two different ones of one job are equivocation, which costs
 * stake, so each is written down before its signature leaves, and outlives this process. A write is
 * not forced to the disk: it survives the process, and a machine that loses power has lost its
 * connections, so that its jobs are given to others.
 */
export class SignedJobs {
  private readonly known = new Map<string, Signed>()
  /** Unix seconds of the newest one, by its pool's clock. */
  private newest = 0
  private file: number | undefined
  private path = ''
  /** In the file. */
  private lines = 0
  /** The last write did not come to its end. */
  private torn = false

  /**
   * Remembers in a file; what is old in it is dropped.
   * @throws {ConfigError} where it cannot be read or written
   */
  static open(path: string, nowSeconds: number): SignedJobs {
    const signed = new SignedJobs()
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      const entries = readEntries(path)
      for (const { jobId, ...entry } of entries) signed.keep(jobId, entry)
      const from = signed.keptFrom(nowSeconds)
      for (const { jobId, completedAt } of entries) {
        if (completedAt <= from) signed.known.delete(jobId)
      }
      signed.path = path
      signed.writeAnew()
    } catch (error) {
      throw notWritable(path, error)
    }
    return signed
  }

  /** Whether more can be written down. After a write that failed that is tried, with a line that says nothing. */
  get isWritable(): boolean {
    try {
      if (this.torn) this.write('\n')
      return true
    } catch {
      return false
    }
  }

  has(jobId: string): boolean {
    return this.known.has(jobId)
  }

  /**
   * Whether `completion` may be signed: none of its job was, or one that says the same.
   * Afterwards it counts as signed.
   * @throws where it cannot be written down, so that it must not be signed
   */
  claim({ jobId, ...entry }: Completion): boolean {
    const before = this.known.get(jobId)
    if (before) {
      return before.outputHash === entry.outputHash && before.outputTokens === entry.outputTokens
    }
    this.write(lineOf(jobId, entry))
    this.keep(jobId, entry)
    return true
  }

  /** Forgets what nobody can ask about any more. */
  sweep(nowSeconds: number): void {
    const from = this.keptFrom(nowSeconds)
    for (const [jobId, { completedAt }] of this.known) {
      if (completedAt > from) break
      this.known.delete(jobId)
    }
    if (this.lines > 2 * this.known.size + OLD_LINES_MAX) this.dropOldLines()
  }

  /** An agent runs for months, and could not read at its next start what it had written in those. */
  private dropOldLines(): void {
    try {
      this.writeAnew()
    } catch {
      // All is in the file of before, which goes on: no sooner again than after as many lines.
      this.lines = this.known.size
    }
  }

  /** What is known, as a file in place of the one before. That one stays in use where this fails. */
  private writeAnew(): void {
    const made = `${this.path}.new`
    rmSync(made, { force: true })
    // Opened before it gets its name: what is appended must never go to a file that nobody finds.
    const file = openSync(made, 'a', 0o600)
    try {
      writeFileSync(file, [...this.known].map(([jobId, entry]) => lineOf(jobId, entry)).join(''))
      renameSync(made, this.path)
    } catch (error) {
      closeSync(file)
      rmSync(made, { force: true })
      throw error
    }
    const before = this.file
    this.file = file
    this.lines = this.known.size
    this.torn = false
    if (before !== undefined) closeSync(before)
  }

  /**
   * Completions have the time of pools, and this machine's may be days ahead of it: then what was signed last
   * says how late it is.
   */
  private keptFrom(nowSeconds: number): number {
    return Math.min(nowSeconds, this.newest) - KEPT_SECONDS
  }

  private keep(jobId: string, entry: Signed): void {
    this.known.set(jobId, entry)
    this.newest = Math.max(this.newest, entry.completedAt)
  }

  private write(line: string): void {
    if (this.file === undefined) return
    // What is left of a torn line must not swallow this one.
    const bytes = Buffer.from(this.torn ? `\n${line}` : line)
    this.torn = true
    // A disk that is full takes what fits, and says so by the count alone.
    if (writeSync(this.file, bytes) < bytes.length)
      throw new Error('no space left for a whole line')
    this.torn = false
    this.lines++
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file)
    this.file = undefined
  }
}

const lineOf = (jobId: string, { outputHash, outputTokens, completedAt }: Signed): string =>
  `${completedAt} ${jobId} ${outputHash} ${outputTokens}\n`

function readEntries(path: string): (Signed & { readonly jobId: string })[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  return text.split('\n').flatMap((line) => {
    const [completedAt, jobId = '', hash = '', tokens] = line.split(' ')
    // A process that was killed in the middle of a line never sent that signature.
    if (!parseJobId(jobId).ok || !/^0x[0-9a-f]{64}$/.test(hash) || !/^\d+$/.test(tokens ?? '')) {
      return []
    }
    const outputHash = toHex32(hash)
    return [{ jobId, outputHash, outputTokens: Number(tokens), completedAt: Number(completedAt) }]
  })
}

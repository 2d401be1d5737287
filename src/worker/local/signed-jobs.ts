import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { type Hex32, parseJobId, toHex32 } from '../../domain/ids.ts'
import type { Completion } from '../../domain/proof.ts'

/** Longer than any job lives, from its lock to the end of its arbitration window. */
const KEPT_SECONDS = 24 * 3_600

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
  private file: number | undefined

  /** Remembers in a file; what is old in it is dropped. */
  static open(path: string, nowSeconds: number): SignedJobs {
    const signed = new SignedJobs()
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    for (const { jobId, ...entry } of readEntries(path)) {
      if (entry.completedAt > nowSeconds - KEPT_SECONDS) signed.known.set(jobId, entry)
    }
    const lines = [...signed.known].map(([jobId, entry]) => lineOf(jobId, entry))
    writeFileSync(`${path}.new`, lines.join(''), { mode: 0o600 })
    renameSync(`${path}.new`, path)
    signed.file = openSync(path, 'a', 0o600)
    return signed
  }

  has(jobId: string): boolean {
    return this.known.has(jobId)
  }

  /**
   * Whether `completion` may be signed: none of its job was, or one that says the same.
   * Afterwards it counts as signed.
   */
  claim({ jobId, ...entry }: Completion): boolean {
    const before = this.known.get(jobId)
    if (before) {
      return before.outputHash === entry.outputHash && before.outputTokens === entry.outputTokens
    }
    if (this.file !== undefined) writeSync(this.file, lineOf(jobId, entry))
    this.known.set(jobId, entry)
    return true
  }

  /** Forgets what nobody can ask about any more. */
  sweep(nowSeconds: number): void {
    for (const [jobId, { completedAt }] of this.known) {
      if (completedAt > nowSeconds - KEPT_SECONDS) break
      this.known.delete(jobId)
    }
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

import type { ChatRequest } from '../../domain/chat.ts'
import type { Credits } from '../../domain/credits.ts'
import type { JobId } from '../../domain/ids.ts'
import type { DurationMs, UnixMs } from '../../domain/time.ts'
import type { JoinEntry } from '../../ports/ledger.ts'
import type { Caller } from '../callers/auth.ts'

/** A job that requests of this edge wait for. */
export interface WaitedJob {
  readonly jobId: JobId
  readonly caller: Caller
  readonly model: string
  readonly lock: Credits
  readonly prompt: ChatRequest
  /** What the wallet could spend beside this job; undefined where nobody could tell. */
  readonly remaining: Credits | undefined
  readonly at: UnixMs
  readonly deadlineAt: UnixMs
  /** How a retried request finds this job. */
  readonly join?: Pick<JoinEntry, 'key' | 'bodyDigest'>
}

/** Of the job's window. Another host may have said when it began: what its clock has wrong adds nothing. */
export const leftMs = ({ at, deadlineAt }: WaitedJob, now: UnixMs): DurationMs =>
  Math.min(Math.max(0, deadlineAt - now), deadlineAt - at)

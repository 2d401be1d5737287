import type { JobId } from '../../domain/ids.ts'
import type { DurationMs, UnixMs } from '../../domain/time.ts'
import type { JobReply, WordReply } from '../../messages/job-reply.ts'
import { type SignedCompletion, saysTheSame } from '../../messages/strikes.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JobLine } from '../job-line.ts'
import type { Placements } from '../placement/placement.ts'
import { flaw } from '../proof/flaw.ts'
import type { Proven } from '../proof/verify.ts'
import type { Session } from '../session/session.ts'
import { Timers } from '../timers.ts'
import type { Strikes } from './strikes.ts'

/** A completion of a job that a worker has signed: its signature was checked. */
export interface Claim extends SignedCompletion {
  readonly jobId: JobId
}

interface Deps {
  readonly jobs: JobLine
  readonly strikes: Strikes
  readonly placements: Placements
  readonly clock: Clock
}

/** After the deadline a job has its end. */
const AFTER_DEADLINE_MS: DurationMs = 2_000

/**
 * Holds what a worker has signed against what its job was completed with. A worker may sign another
 * answer at another pool or in a later session; only the job knows both.
 */
export class Contradictions {
  private readonly timers: Timers

  constructor(private readonly deps: Deps) {
    this.timers = new Timers(deps.clock)
  }

  /** Asks the job about a claim that it was not told of. */
  ask(session: Session, claim: Claim): void {
    void this.deps.jobs.ask(claim.jobId).then((reply) => {
      if (reply) this.judge(session, claim, reply)
    })
  }

  /**
   * @param reply to a report of this claim: that it is the job's answer, or what the job holds
   * instead. A job that is still with another attempt has not taken it, and may yet be completed with
   * another answer of the same worker.
   */
  compare(session: Session, claim: Claim, reply: WordReply, deadlineAt: UnixMs): void {
    if (reply.type === 'accepted' && !('view' in reply)) return
    const isOpen = reply.type === 'accepted' && !reply.proof && reply.ending === null
    if (!isOpen) {
      this.judge(session, claim, reply)
      return
    }
    const leftMs = Math.max(0, deadlineAt - this.deps.clock.now())
    this.timers.after(leftMs + AFTER_DEADLINE_MS, () => this.ask(session, claim))
  }

  /** What is still to be asked is not asked any more. */
  stop(): void {
    this.timers.clear()
  }

  private judge(session: Session, { jobId, ...signed }: Claim, reply: JobReply): void {
    if (reply.type !== 'accepted' || !reply.proof) return
    if (reply.view.worker !== session.address || saysTheSame(reply.proof, signed)) return
    const { strikes, placements } = this.deps
    const { kind, text } = flaw('equivocation', 'it signed two different completions of a job')
    strikes.equivocated(session.profile, jobId, [reply.proof, signed])
    strikes.note(session.profile, jobId, { kind, text })
    placements.blame(session, text)
  }
}

export const toClaim = (jobId: JobId, { completion, signature }: Proven): Claim => {
  const { outputHash, outputTokens, completedAt } = completion
  return { jobId, outputHash, outputTokens, completedAt, signature }
}

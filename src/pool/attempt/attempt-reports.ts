import { addMs, type DurationMs, type UnixMs } from '../../domain/time.ts'
import type { WordReply } from '../../messages/job-reply.ts'
import type { OfferJob } from '../../messages/pool.ts'
import { type Clock, pause } from '../../ports/clock.ts'
import type { Outputs } from '../../ports/outputs.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Span } from '../../telemetry/traces.ts'
import type { JobLine } from '../job-line.ts'
import type { PoolMetrics } from '../pool-metrics.ts'
import type { Proven } from '../proof/verify.ts'
import {
  type AttemptFailure,
  assignWorker,
  completeJob,
  failWorker,
  type PoolReport,
} from '../report.ts'
import type { Session } from '../session/session.ts'
import { type Contradictions, toClaim } from '../strikes/contradictions.ts'

/** An answer that comes sooner names its worker itself, where nobody waits to hear of it. */
const ASSIGN_LATE_MS: DurationMs = 250
/** Where somebody does, the first text still goes before it, if it comes soon: what the job does then is work, too. */
const ASSIGN_SOON_MS: DurationMs = 10
/** From the first text: more than the turn in which that leaves, and less than anybody needs to look at the job. */
const ASSIGN_BEHIND_TEXT_MS: DurationMs = 1
const ANSWER_TTL_MS: DurationMs = 300_000
const RETRY_MS_FIRST: DurationMs = 200
const RETRY_MS_MAX: DurationMs = 2_000
/** Reports are repeated for this long after the deadline. */
export const REPORT_GRACE_MS: DurationMs = 60_000

interface Deps {
  readonly jobs: JobLine
  readonly contradictions: Contradictions
  readonly outputs: Outputs
  /** Of deadlines. */
  readonly clock: Clock
  /** Of reports: hosts hold it against theirs. */
  readonly wall: Clock
  readonly log: Log
  readonly counts: PoolMetrics
  readonly span?: Span | undefined
}

/** What one attempt tells its job. */
export class AttemptReports {
  /** The worker that the job was told of last. */
  private assignee: Session | undefined
  private takenAt: UnixMs | undefined
  /** The job was told of a worker; those that come after it are told of as well. */
  private told = false
  private cancelTelling: (() => void) | undefined
  private isOver = false

  constructor(
    private readonly job: OfferJob,
    private readonly deps: Deps,
  ) {}

  /**
   * Once a worker: told again, it says nothing.
   * @param hasText its first text is about to leave
   */
  assigned(session: Session, hasText = false): void {
    if (this.assignee !== session) this.assign(session)
    if (!hasText || this.told || this.job.assignLate) return
    this.cancelTelling?.()
    this.cancelTelling = this.deps.clock.after(ASSIGN_BEHIND_TEXT_MS, () => this.tellLate())
  }

  private assign(session: Session): void {
    this.assignee = session
    this.takenAt = this.now()
    this.deps.span?.event('assigned', { 'svc.worker_id': session.profile.workerId })
    const { assignLate } = this.job
    if (assignLate === undefined || this.told) {
      void this.tellAssigned(session)
      return
    }
    const inMs = assignLate ? ASSIGN_LATE_MS : ASSIGN_SOON_MS
    this.cancelTelling ??= this.deps.clock.after(inMs, () => this.tellLate())
  }

  private tellLate(): void {
    if (this.assignee && !this.told && !this.isOver) void this.tellAssigned(this.assignee)
  }

  private async tellAssigned(session: Session): Promise<void> {
    this.told = true
    const report = assignWorker(this.job, session.profile, this.now())
    await this.tell(report, () => !this.isOver && this.assignee === session)
  }

  get hasAssignee(): boolean {
    return this.assignee !== undefined
  }

  /** Nothing but the end is to be told any more. */
  over(): void {
    this.isOver = true
    this.cancelTelling?.()
  }

  completed(session: Session, proven: Proven, chunks: number, text: string): void {
    let isTheAnswer = true
    void this.keep(text, () => isTheAnswer)
    this.deps.counts.completed(this.job.model)
    this.deps.span?.end({ 'svc.end': 'completed', 'svc.tokens': proven.completion.outputTokens })
    const { jobId, deadlineAt } = this.job
    const report = completeJob(this.job, session.profile, proven, chunks, {
      takenAt: this.takenAt,
      at: this.now(),
    })
    void this.tell(report).then((reply) => {
      if (!reply) return
      // Otherwise the job has another answer, or will have one.
      isTheAnswer = reply.type === 'accepted' && !('view' in reply)
      this.deps.contradictions.compare(session, toClaim(jobId, proven), reply, deadlineAt)
    })
  }

  failed(failure: AttemptFailure): void {
    this.deps.counts.failed(this.job.model, failure.reason)
    this.deps.span?.end({ 'svc.end': failure.reason, 'error.type': failure.reason })
    void this.tellFailed(failure)
  }

  /** Who failed it must be known to the job, and to people. */
  private async tellFailed(failure: AttemptFailure): Promise<void> {
    const report = failWorker(this.job, failure, this.now())
    if (failure.words) await this.deps.jobs.after(this.keepWords(failure.words))
    if (this.assignee && !this.told) await this.tellAssigned(this.assignee)
    await this.tell(report)
  }

  /** The edge adds them to what the job says, which goes without where they are lost. */
  private async keepWords(words: string): Promise<void> {
    const { outputs, log } = this.deps
    const { jobId } = this.job
    try {
      await outputs.putWords(jobId, words, ANSWER_TTL_MS)
    } catch (error) {
      log.warn({ jobId, err: error }, 'what the worker said of the request is not stored')
    }
  }

  /**
   * Lets an edge that missed a chunk mend its text. The report does not wait for it; a store that is away
   * is asked again for as long as somebody may want the answer, and it is not in place of another one.
   */
  private async keep(text: string, isTheAnswer: () => boolean): Promise<void> {
    const { outputs, clock, log } = this.deps
    const { jobId, deadlineAt } = this.job
    const until = addMs(deadlineAt, REPORT_GRACE_MS)
    for (let failures = 0; isTheAnswer(); failures++) {
      try {
        return await outputs.putAnswer(jobId, text, ANSWER_TTL_MS)
      } catch (error) {
        if (failures === 0)
          log.warn({ jobId, err: error }, 'answer is not stored yet, trying again')
        if (clock.now() >= until) return log.error({ jobId, err: error }, 'answer is not stored')
        await pause(clock, Math.min(RETRY_MS_FIRST * 2 ** failures, RETRY_MS_MAX))
      }
    }
  }

  private tell(report: PoolReport, wanted?: () => boolean): Promise<WordReply | undefined> {
    return this.deps.jobs.tell(report, addMs(this.job.deadlineAt, REPORT_GRACE_MS), wanted)
  }

  private now = (): UnixMs => this.deps.wall.now()
}

import { addMs, type DurationMs, type UnixMs } from '../domain/time.ts'
import type { JobReply } from '../messages/job.ts'
import type { OfferJob } from '../messages/pool.ts'
import type { Clock } from '../ports/clock.ts'
import type { Outputs } from '../ports/ledger.ts'
import type { Log } from '../telemetry/log.ts'
import { type Contradictions, toClaim } from './contradictions.ts'
import type { JobLine } from './job-line.ts'
import {
  type AttemptFailure,
  assignWorker,
  completeJob,
  failWorker,
  type PoolReport,
} from './report.ts'
import type { Session } from './session.ts'
import type { Proven } from './verify.ts'

const ANSWER_TTL_MS: DurationMs = 300_000
/** Reports are repeated for this long after the deadline. */
export const REPORT_GRACE_MS: DurationMs = 60_000

interface Deps {
  readonly jobs: JobLine
  readonly contradictions: Contradictions
  readonly outputs: Outputs
  readonly clock: Clock
  readonly log: Log
}

/** What one attempt tells its job. */
export class AttemptReports {
  /** The worker that the job was told of last. */
  private assignee: Session | undefined
  private isOver = false

  constructor(
    private readonly job: OfferJob,
    private readonly deps: Deps,
  ) {}

  /** Once a worker: told again, it says nothing. */
  assigned(session: Session): void {
    if (this.assignee === session) return
    this.assignee = session
    const report = assignWorker(this.job, session.profile, this.now())
    void this.tell(report, () => !this.isOver && this.assignee === session)
  }

  get hasAssignee(): boolean {
    return this.assignee !== undefined
  }

  /** Nothing but the end is to be told any more. */
  over(): void {
    this.isOver = true
  }

  completed(session: Session, proven: Proven, chunks: number, text: string): void {
    this.keep(text)
    const { jobId, deadlineAt } = this.job
    const report = completeJob(this.job, session.profile, proven, chunks, this.now())
    void this.tell(report).then((reply) => {
      if (reply)
        this.deps.contradictions.compare(session, toClaim(jobId, proven), reply, deadlineAt)
    })
  }

  failed(failure: AttemptFailure): void {
    void this.tell(failWorker(this.job, failure, this.now()))
  }

  /** Lets an edge that missed a chunk mend its text. The report does not wait for it. */
  private keep(text: string): void {
    const { outputs, log } = this.deps
    outputs.putAnswer(this.job.jobId, text, ANSWER_TTL_MS).catch((error: unknown) => {
      log.warn({ jobId: this.job.jobId, err: error }, 'answer is not stored')
    })
  }

  private tell(report: PoolReport, wanted?: () => boolean): Promise<JobReply | undefined> {
    return this.deps.jobs.tell(report, addMs(this.job.deadlineAt, REPORT_GRACE_MS), wanted)
  }

  private now = (): UnixMs => this.deps.clock.now()
}

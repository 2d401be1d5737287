import type { ResumedJob } from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { Address, JobId } from '../../domain/ids.ts'
import { addMs, type UnixMs } from '../../domain/time.ts'
import type { OfferJob, OfferReply, StopJob, StopReply } from '../../messages/pool.ts'
import type { Traces } from '../../telemetry/traces.ts'
import type { Session } from '../session/session.ts'
import { Attempt } from './attempt.ts'
import type { AttemptDeps } from './attempt-deps.ts'
import { REPORT_GRACE_MS } from './attempt-reports.ts'
import { traceAttempt } from './trace-attempt.ts'

/** The attempts this pool has taken: one a job at a time, and none twice. */
export class Attempts {
  private readonly open = new Map<string, Attempt>()
  /** Newest attempt taken of each job, for as long as somebody may still offer it again. */
  private readonly taken = new Map<JobId, { attempt: number; forgetAt: UnixMs }>()

  constructor(
    private readonly deps: Omit<AttemptDeps, 'onEnded' | 'span'> & {
      readonly traces?: Traces | undefined
    },
  ) {}

  /** Its prompt is held no longer than it is wanted: not with the job. */
  take({ prompt, ...offered }: OfferJob): OfferReply {
    const job = byClockOf(this.deps, offered)
    const known = this.taken.get(job.jobId)
    if (known && known.attempt >= job.attempt) return { type: 'taken' }
    if (this.deps.placements.draining) return { type: 'refused', reason: 'draining' }
    this.open.get(job.jobId)?.drop()
    const traced = traceAttempt(this.deps.traces, job)
    const onEnded = () => {
      this.forget(attempt)
      traced?.ended()
    }
    const deps: AttemptDeps = { span: traced?.span, onEnded, ...this.deps }
    const attempt: Attempt = new Attempt(traced?.job ?? job, deps, prompt)
    this.open.set(job.jobId, attempt)
    if (!attempt.begin()) return { type: 'refused', reason: 'no_worker' }
    const forgetAt = addMs(job.deadlineAt, REPORT_GRACE_MS)
    this.taken.set(job.jobId, { attempt: job.attempt, forgetAt })
    return { type: 'taken' }
  }

  get(jobId: string): Attempt | undefined {
    return this.open.get(jobId)
  }

  /** @returns whether the job is told of its end, now or later */
  stop({ jobId, attempt = 1, settle }: StopJob): StopReply {
    this.open.get(jobId)?.stop(settle)
    // An earlier one has had its end: of that the job waits to hear nothing.
    const newest = this.taken.get(jobId)?.attempt ?? 0
    return { type: newest >= attempt ? 'taken' : 'not_taken' }
  }

  lost(session: Session, jobIds: readonly JobId[]): void {
    for (const jobId of jobIds) this.open.get(jobId)?.lost(session)
  }

  /** Whose jobs run there, one entry a job. */
  running(session: Session, jobIds: readonly JobId[]): readonly Address[] {
    return jobIds.flatMap((jobId) => {
      const attempt = this.open.get(jobId)
      return attempt?.runsAt(session) ? attempt.job.wallet : []
    })
  }

  /** Whether a job can go on there when the worker comes back. */
  anyAt(session: Session, jobIds: readonly JobId[]): boolean {
    return jobIds.some((jobId) => this.open.get(jobId)?.has(session))
  }

  suspended(session: Session, jobIds: readonly JobId[]): void {
    for (const jobId of jobIds) this.open.get(jobId)?.comebacks.suspended(session)
  }

  /** The worker is back. @returns the jobs that go on */
  comeBack(session: Session, jobIds: readonly JobId[]): ResumedJob[] {
    return jobIds.flatMap((jobId) => {
      const nextSeq = this.open.get(jobId)?.comebacks.comeBack(session)
      return nextSeq === undefined ? [] : [{ jobId, nextSeq }]
    })
  }

  tellAgain(session: Session, jobIds: readonly JobId[]): void {
    for (const jobId of jobIds) this.open.get(jobId)?.comebacks.tellAgain(session)
  }

  /** Gives up what no worker runs yet, or everything. */
  giveUp(which: 'not_running' | 'all'): void {
    for (const attempt of [...this.open.values()]) {
      if (which === 'all' || !attempt.isRunning) attempt.giveUp()
    }
  }

  get size(): number {
    return this.open.size
  }

  /** Forgets what nobody will offer again. */
  sweep(now: UnixMs): void {
    for (const [jobId, { forgetAt }] of this.taken) {
      if (forgetAt <= now) this.taken.delete(jobId)
    }
  }

  private forget(attempt: Attempt): void {
    if (this.open.get(attempt.job.jobId) === attempt) this.open.delete(attempt.job.jobId)
  }
}

/** The offer with its deadline by the pool's own clock, which may say something else than the host's. */
function byClockOf<Offered extends Pick<OfferJob, 'deadlineAt' | 'sentAt'>>(
  { clock }: Pick<AttemptDeps, 'clock'>,
  offered: Offered,
): Offered {
  const { deadlineAt, sentAt } = offered
  if (sentAt === undefined) return offered
  return { ...offered, deadlineAt: addMs(clock.now(), deadlineAt - sentAt) }
}

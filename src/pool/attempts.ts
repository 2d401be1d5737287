import type { JobId } from '../domain/ids.ts'
import { addMs, type UnixMs } from '../domain/time.ts'
import type { OfferJob, OfferReply } from '../messages/pool.ts'
import { Attempt, type AttemptDeps, REPORT_GRACE_MS } from './attempt.ts'
import type { Session } from './session.ts'

/** The attempts this pool has taken: one a job at a time, and none twice. */
export class Attempts {
  private readonly open = new Map<string, Attempt>()
  /** Newest attempt taken of each job, for as long as somebody may still offer it again. */
  private readonly taken = new Map<JobId, { attempt: number; forgetAt: UnixMs }>()

  constructor(private readonly deps: Omit<AttemptDeps, 'onEnded'>) {}

  take(job: OfferJob): OfferReply {
    const known = this.taken.get(job.jobId)
    if (known && known.attempt >= job.attempt) return { type: 'taken' }
    if (this.deps.placements.draining) return { type: 'refused', reason: 'draining' }
    this.open.get(job.jobId)?.drop()
    const attempt = new Attempt(job, { ...this.deps, onEnded: (ended) => this.forget(ended) })
    this.open.set(job.jobId, attempt)
    if (!attempt.begin()) return { type: 'refused', reason: 'no_worker' }
    const forgetAt = addMs(job.deadlineAt, REPORT_GRACE_MS)
    this.taken.set(job.jobId, { attempt: job.attempt, forgetAt })
    return { type: 'taken' }
  }

  get(jobId: string): Attempt | undefined {
    return this.open.get(jobId)
  }

  lost(session: Session, jobIds: readonly JobId[]): void {
    for (const jobId of jobIds) this.open.get(jobId)?.lost(session)
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

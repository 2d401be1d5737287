import type { UnixMs } from '../../src/domain/time.ts'
import { traceIdOf } from '../../src/domain/traceparent.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Log } from '../../src/telemetry/log.ts'
import type { Metrics } from '../../src/telemetry/metrics.ts'
import { partitionOfJob } from './actor.ts'
import { isProven, type ProvenJob } from './completed.ts'
import { rests } from './due.ts'
import type { JobsMeter } from './resource.ts'
import { type BegunJob, isCompleted, isEnded, isRunning, type Job } from './state.ts'
import { reasonOf } from './terms.ts'

interface Options {
  readonly metrics: Metrics
  readonly clock: Clock
  readonly log: Log
}

/** When a job came to each of its stages, as this host saw it. Null: it was there before, or elsewhere. */
interface Life {
  lockedAt?: UnixMs | null
  assignedAt?: UnixMs | null
  answeredAt?: UnixMs | null
  /** Its settlement showed before it came to rest: it was woken, or disputed meanwhile. */
  wasSettled?: true
}

/**
 * Counts the jobs of one host, times their stages, and writes one line of log a job that tells its whole
 * life. What it only reads of them in the journal was another host's to tell of, or has been told of here.
 */
export class JobMeter implements JobsMeter {
  readonly oldestPending = Number.POSITIVE_INFINITY
  readonly #options: Options
  readonly #lives = new Map<string, Life>()
  readonly #ends
  readonly #stages

  constructor(options: Options) {
    this.#options = options
    const { metrics } = options
    this.#ends = metrics.counter({
      name: 'svc_jobs_total',
      help: 'Jobs that came to rest, by their last status and, without an answer, why.',
      labels: ['model', 'status', 'reason'],
    })
    this.#stages = metrics.histogram({
      name: 'svc_job_stage_seconds',
      help: 'lock: made to locked. route: locked to a worker. answer: worker to proof. settle: proof to settled. refund: failed to refunded.',
      labels: ['stage'],
    })
    metrics.gauge(
      { name: 'svc_jobs_live', help: 'Jobs that are not at rest.' },
      () => this.#lives.size,
    )
  }

  changed(id: string, _sequence: number, job: Job, how?: 'read'): void {
    if (job.status === 'abandoned') return
    const life = this.#lives.get(id)
    if (rests(job)) {
      this.#lives.delete(id)
      // What had come to rest before this host heard of it was another host's to tell of.
      if (life && how !== 'read') this.#tellEnd(job, life)
      return
    }
    // What shows at first sight was so before: a job that was just made has no stage behind it.
    const isNow = life !== undefined && how !== 'read'
    this.#note(job, life ?? this.#begin(id), isNow ? this.#options.clock.now() : null)
  }

  released(partitions: readonly number[]): void {
    for (const id of this.#lives.keys()) {
      if (partitions.includes(partitionOfJob(id))) this.#lives.delete(id)
    }
  }

  #begin(id: string): Life {
    const life: Life = {}
    this.#lives.set(id, life)
    return life
  }

  /** @param now null: nobody here knows since when it is so */
  #note(job: BegunJob, life: Life, now: UnixMs | null): void {
    if (life.lockedAt === undefined && job.escrow.at === 'locked') {
      life.lockedAt = now
      this.#span('lock', job.terms.createdAt, now)
    }
    if (life.assignedAt === undefined && isRunning(job) && job.attempt?.worker) {
      life.assignedAt = now
      this.#span('route', life.lockedAt, now)
    }
    if (!isCompleted(job)) return
    const heardLate = isProven(job) ? job.worker.takenAt : undefined
    if (life.assignedAt === undefined && heardLate) {
      life.assignedAt = heardLate
      this.#span('route', life.lockedAt, heardLate)
    }
    if (life.answeredAt === undefined) {
      life.answeredAt = now && job.completedAt
      this.#span('answer', life.assignedAt, life.answeredAt)
    }
    if (job.settlement) life.wasSettled = true
  }

  #span(stage: string, from: UnixMs | null | undefined, to: UnixMs | null): void {
    if (from && to) this.#stages.observe({ stage }, seconds(from, to))
  }

  #tellEnd(job: BegunJob, life: Life): void {
    const { clock, log } = this.#options
    const now = clock.now()
    const { id, wallet, model, tier, stream, lock, createdAt, trace } = job.terms
    const reason = isEnded(job) ? reasonOf(job.refusal) : ''
    this.#ends.inc({ model, status: job.status, reason })
    if (job.status === 'settled' && isProven(job) && !life.wasSettled) {
      this.#span('settle', job.completedAt, now)
    }
    if (isEnded(job) && job.escrow.at === 'returned') this.#span('refund', job.endedAt, now)
    log.info(
      {
        jobId: id,
        wallet,
        model,
        tier,
        stream,
        status: job.status,
        locked: Number(lock),
        escrow: job.escrow,
        ms: {
          locked: span(createdAt, life.lockedAt),
          assigned: span(createdAt, life.assignedAt),
          answered: isCompleted(job) ? span(createdAt, job.completedAt) : undefined,
          rested: now - createdAt,
        },
        ...(reason ? { reason } : {}),
        ...(trace ? { trace_id: traceIdOf(trace) } : {}),
        ...(isCompleted(job) && isProven(job)
          ? answered(job)
          : { worker: isEnded(job) ? job.worker : null }),
      },
      'job',
    )
  }
}

const answered = (job: ProvenJob) => ({
  worker: job.worker.address,
  attempts: job.attempt,
  tokens: job.usage.completionTokens,
  charged: Number(job.charged),
  settlement: job.settlement,
})

const seconds = (from: UnixMs, to: UnixMs): number => Math.max(0, to - from) / 1_000
const span = (from: UnixMs, to: UnixMs | null | undefined): number | undefined =>
  to ? to - from : undefined

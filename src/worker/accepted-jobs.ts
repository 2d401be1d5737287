import {
  Failure_Reason,
  type Offer,
  type ResumedJob,
  type Welcome,
} from '../../proto/gen/svc/worker/v1/worker.ts'
import type { JobId } from '../domain/ids.ts'
import type { Log } from '../telemetry/log.ts'
import type { Traces } from '../telemetry/traces.ts'
import type { Engine } from './engine.ts'
import type { Identity } from './identity.ts'
import { JobRun, type RunEnd, type StopReason } from './job-run.ts'
import type { SignedJobs } from './local/signed-jobs.ts'
import { type AnswerStream, Outgoing, type PoolCall, type ToPool } from './outgoing.ts'

export interface AcceptedJobsOptions {
  readonly identity: Identity
  readonly engine: Engine
  readonly signed: SignedJobs
  readonly log: Log
  readonly traces?: Traces | undefined
  /** Runs of this agent, those that wind down after a pool was lost included. */
  readonly runs: Set<JobRun>
  readonly onRan: (end: RunEnd) => void
}

/** A job that has ended: all that the pool was told of it. */
interface EndedJob {
  readonly stream: AnswerStream
  readonly outcome: ToPool
}

/**
 * For how long an end may have to be told again: a dead connection is noticed within 10 s, and the
 * pool keeps the session for some more. Each is of the size of its answer.
 */
const KEEP_ENDED_MS = 20_000

/** The jobs accepted from one pool. They outlive the stream, for as long as the pool waits for it. */
export class AcceptedJobs {
  readonly outgoing = new Outgoing()
  private readonly running = new Map<string, JobRun>()
  private readonly ended = new Map<string, EndedJob>()
  private newest: Pick<Welcome, 'sessionToken' | 'resumeMs'> | undefined
  private brokeAtMs = 0

  constructor(private readonly options: AcceptedJobsOptions) {}

  get size(): number {
    return this.running.size
  }
  has(jobId: string): boolean {
    return this.running.has(jobId)
  }
  /** Of the newest Welcome; empty before the first. */
  get sessionToken(): Buffer {
    return this.newest?.sessionToken ?? Buffer.alloc(0)
  }
  /** How long the pool still waits for us. 0: there is nothing to come back for. */
  get comebackMs(): number {
    if (!this.newest || this.running.size + this.ended.size === 0) return 0
    return Math.max(0, this.newest.resumeMs - (performance.now() - this.brokeAtMs))
  }

  /** The pool has welcomed us over this stream. What it does not name is over. */
  welcomed(call: PoolCall, welcome: Welcome): void {
    this.newest = welcome
    this.outgoing.attach(call, welcome.batches)
    for (const job of welcome.resumed) this.resume(job)
    const named = new Set(welcome.resumed.map(({ jobId }) => jobId))
    for (const [jobId, run] of this.running) if (!named.has(jobId)) this.abandon(run, jobId)
    for (const jobId of this.ended.keys()) if (!named.has(jobId)) this.ended.delete(jobId)
  }

  /** The stream is gone. What runs goes on, and what it says is kept. */
  cutOff(): void {
    this.brokeAtMs = performance.now()
    this.outgoing.detach()
  }

  /** Nobody can take these proofs any more. */
  drop(): void {
    this.outgoing.detach()
    this.newest = undefined
    this.ended.clear()
    for (const [jobId, run] of this.running) this.abandon(run, jobId)
  }

  stop(jobId: string, reason: StopReason): void {
    this.running.get(jobId)?.stop(reason)
  }

  /** @param spanMs until the deadline */
  async run(jobId: JobId, offer: Offer, escrowSeparator: Uint8Array, spanMs: number) {
    const { runs, onRan } = this.options
    const run = new JobRun(jobId, offer, {
      outgoing: this.outgoing,
      escrowSeparator,
      ...this.options,
    })
    this.ended.delete(jobId)
    this.running.set(jobId, run)
    runs.add(run)
    try {
      const { end, outcome } = await run.run(spanMs)
      if (this.running.get(jobId) === run) this.keep(run.stream, outcome)
      onRan(end)
    } finally {
      runs.delete(run)
      if (this.running.get(jobId) === run) this.running.delete(jobId)
    }
  }

  /** The pool may offer the same job anew, and must not take a word of the old run for one of that. */
  private abandon(run: JobRun, jobId: string): void {
    this.running.delete(jobId)
    run.abandon()
  }

  private keep(stream: AnswerStream, outcome: ToPool): void {
    if (!this.newest?.resumeMs) return
    const { jobId } = stream
    const ended = { stream, outcome }
    this.ended.set(jobId, ended)
    setTimeout(() => {
      if (this.ended.get(jobId) === ended) this.ended.delete(jobId)
    }, KEEP_ENDED_MS).unref()
  }

  private resume({ jobId, nextSeq }: ResumedJob): void {
    const { outgoing } = this
    const ended = this.ended.get(jobId)
    const stream = this.running.get(jobId)?.stream ?? ended?.stream
    if (!stream || nextSeq > stream.texts.length) {
      this.options.log.warn({ jobId }, 'the pool goes on with a job that is not known here')
      const run = this.running.get(jobId)
      if (run) this.abandon(run, jobId)
      const reason = Failure_Reason.REASON_NOT_KNOWN
      outgoing.send({ $case: 'failure', value: { jobId, reason, message: 'not known here' } })
      return
    }
    outgoing.send({ $case: 'accept', value: { jobId } })
    outgoing.again(stream, nextSeq)
    if (ended) outgoing.send(ended.outcome)
  }
}

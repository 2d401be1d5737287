import type { Chunk, Completion, Failure } from '../../../proto/gen/svc/worker/v1/worker.ts'
import { Failure_Reason, Refusal_Reason } from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { Address } from '../../domain/ids.ts'
import type { DurationMs } from '../../domain/time.ts'
import type { WorkerFailureReason } from '../../messages/job.ts'
import type { OfferJob } from '../../messages/pool.ts'
import type { Flaw } from '../../messages/strikes.ts'
import { NOT_ACCEPTED } from '../proof/flaw.ts'
import type { Placement } from '../registry/waiting.ts'
import type { Session } from '../session/session.ts'
import { Timers } from '../timers.ts'
import type { AttemptDeps } from './attempt-deps.ts'
import { AttemptReports } from './attempt-reports.ts'
import { Comebacks } from './comebacks.ts'
import { EdgeAnswer } from './edge-answer.ts'
import { type Fault, readFailure, readGivingUp } from './failure.ts'
import { Hedge } from './hedge.ts'
import { watchAnswer } from './mid-answer.ts'
import { Offering } from './offering.ts'
import { Refusals } from './refusals.ts'
import { Run } from './run.ts'
import { Runs } from './runs.ts'

const SETTLE_MS: DurationMs = 5_000

/**
 * One attempt of a job, from its offer to the report that ends it. Mostly one worker is on it. Where
 * that one keeps the caller waiting, a second is asked as well: the first to send text, or a proof,
 * goes on alone, and the proof of no other is reported.
 */
export class Attempt {
  private readonly runs = new Runs()
  private readonly reports: AttemptReports
  /** Whose text goes to the edge. */
  private winner: Run | undefined
  private readonly edge: EdgeAnswer
  private isOpen = true
  private stopping = false
  private readonly tried = new Set<Address>()
  /** Those of them that the job must not get again. */
  private readonly failedWorkers = new Set<Address>()
  private readonly refusals: Refusals
  private readonly offering: Offering
  private readonly hedge: Hedge
  readonly comebacks: Comebacks
  private readonly timers: Timers

  constructor(
    readonly job: OfferJob,
    private readonly deps: AttemptDeps,
    prompt?: OfferJob['prompt'],
  ) {
    this.reports = new AttemptReports(job, deps)
    this.edge = new EdgeAnswer(job, deps.outbox)
    this.timers = new Timers(deps.clock)
    this.offering = new Offering(job, prompt, deps, this.timers, {
      promptLost: () => this.fail({ reason: 'prompt_lost' }),
      mayGoElsewhere: () => deps.placements.mayPlace(this.placement()),
      unanswered: (run, waitedMs) => this.unanswered(run, waitedMs),
    })
    this.hedge = new Hedge(this.runs, this.timers, (slow) => this.askSecond(slow))
    this.comebacks = new Comebacks({
      isStopping: () => this.stopping,
      passOn: (run, fault) => this.passOn(run, fault),
      give: (run, fault) => this.give(run, fault),
      ...{ runs: this.runs, offering: this.offering, hedge: this.hedge, timers: this.timers },
    })
    this.refusals = new Refusals({
      ...{ job, placements: deps.placements, failedWorkers: this.failedWorkers },
      passOn: (run, fault, next) => this.passOn(run, fault, next),
    })
  }

  /** @returns false: no worker here can take it */
  begin(): boolean {
    this.timers.after(Math.max(0, this.job.deadlineAt - this.deps.clock.now()), () => {
      this.runs.failOverdue()
      this.drop()
    })
    if (this.deps.placements.place(this.placement())) return true
    this.end()
    return false
  }

  /** A slot of `session` is this job's. */
  held(session: Session): void {
    const run = new Run(session, this.job, this.deps)
    this.runs.add(run)
    this.tried.add(session.address)
    this.offering.offer(run)
  }

  /** It waited, and the last worker that could have taken it has gone. */
  stranded(): void {
    this.fail({ reason: this.tried.size > 0 ? 'worker_refused' : 'no_worker' })
  }

  accepted(session: Session): void {
    const run = this.runs.of(session)
    if (!run?.isOffered) return
    run.accept()
    if (this.reports.hasAssignee) return
    this.reports.assigned(session)
    this.timers.after(run.patienceMs, () => this.hedge.begin())
  }

  refused(session: Session, reason: Refusal_Reason): void {
    const run = this.runs.of(session)
    if (!run || run.isHeld) return
    const { placements, terms } = this.deps
    if (reason === Refusal_Reason.REASON_DRAINING) placements.drainWorker(session)
    if (reason === Refusal_Reason.REASON_MODEL_NOT_SERVED) terms.notServed(session, this.job.model)
    const outcome = reason === Refusal_Reason.REASON_BUSY ? 'busy' : 'declined'
    if (run.isOffered) this.passOn(run, { reason: 'worker_refused', outcome })
    else this.give(run, readGivingUp(this.stopping))
  }

  chunk(session: Session, chunk: Chunk): void {
    const run = this.accepting(session)
    if (!run) return
    const added = run.add(chunk)
    if (!added.ok) {
      this.strike(run, 'worker_error', added.error)
      return
    }
    // An empty piece is counted, not sent: as long as nothing is sent, a retry stays possible.
    if (added.value === '') return
    this.win(run)
    this.edge.add(added.value)
  }

  completed(session: Session, claim: Completion): void {
    const run = this.accepting(session)
    if (!run) return
    const proof = run.prove(claim, this.deps.separator)
    if (!proof.ok) {
      this.strike(run, 'bad_proof', proof.error)
      return
    }
    this.win(run)
    this.edge.end()
    this.runs.close(run, { outcome: 'finished' })
    this.end()
    this.reports.completed(session, proof.value, this.edge.chunks, run.answer.text())
  }

  failed(session: Session, failure: Failure): void {
    const run = this.runs.of(session)
    if (!run || run.isHeld) return
    this.note(session, { reason: Failure_Reason[failure.reason] }, 'worker reports a failure')
    const reading = readFailure(failure, this.stopping, this.winner === run)
    if (failure.reason === Failure_Reason.REASON_NOT_KNOWN && run.hasComeBack) {
      this.comebacks.notKnown(run)
    } else if (reading.reason === 'context_length_exceeded') {
      this.refusals.tooLong(run, reading)
    } else if (reading.reason === 'prompt_refused') this.refusals.invalid(run, reading)
    else this.give(run, reading)
  }

  /** The session is gone. */
  lost(session: Session): void {
    const run = this.runs.of(session)
    if (!run) return
    if (run.isRunning) this.give(run, { reason: 'worker_lost' })
    else this.passOn(run, { reason: 'worker_lost' })
  }

  /** The caller has gone, or the job has ended. */
  stop(settle: boolean): void {
    if (!settle) this.drop()
    if (!settle || this.stopping) return
    if (!this.winner) {
      // Nothing was generated, so nothing is to be proven, whatever the worker would sign now.
      this.fail({ reason: 'cancelled' })
      return
    }
    this.stopping = true
    this.winner.cancel(true)
    this.timers.after(SETTLE_MS, () => this.fail({ reason: 'cancelled' }))
  }

  /** Ends it without a word to the job: it knows, or a later attempt has taken over. */
  drop(): void {
    if (!this.isOpen) return
    const { jobId, model } = this.job
    // Gives back the slots, or the place in the queue.
    this.deps.placements.withdraw(jobId, model)
    this.runs.cancelAll()
    this.end()
  }

  /** This process goes away: the job shall look elsewhere. */
  giveUp(): void {
    this.fail({ reason: 'pool_gone' })
  }

  has(session: Session): boolean {
    return this.runs.of(session) !== undefined
  }

  /** Whether this worker is on it, and knows. */
  isAt(session: Session): boolean {
    return this.runs.of(session)?.isHeld === false
  }

  /** Whether this worker has taken it and not ended it yet. */
  runsAt(session: Session): boolean {
    return this.runs.of(session)?.isRunning === true
  }

  get isRunning(): boolean {
    return this.runs.running !== undefined
  }

  private placement(): Placement {
    const { jobId, wallet, model, exclude } = this.job
    const all = new Set([...exclude, ...this.tried])
    return { jobId, wallet, model, exclude: all, contextAbove: this.refusals.contextAbove }
  }

  private unanswered(run: Run, waitedMs: number): void {
    this.note(run.session, { waitedMs }, 'worker did not answer an offer')
    const why = `it was silent for ${waitedMs} ms`
    this.passOn(run, { reason: 'worker_refused', outcome: 'silent', why, cancel: true })
  }

  private askSecond({ session, spentMs }: Run): void {
    if (!this.deps.placements.placeNow(this.placement())) return
    this.note(session, { waitedMs: Math.round(spentMs) }, 'slow first token')
  }

  /** The first to have something for the caller goes on alone. */
  private win(run: Run): void {
    if (this.winner) return
    this.winner = run
    this.hedge.end()
    this.offering.forget()
    this.edge.begin(run.session.address)
    this.runs.outrunOthers(run)
    this.refusals.overruled()
    this.reports.assigned(run.session, true)
    watchAnswer(run, this.timers, (fault) => this.give(run, fault))
  }

  /** The next worker, unless another is on it already. None goes on with a text that has begun. */
  private passOn(run: Run, fault: Fault, next: 'later' | 'now' | 'none' = 'later'): void {
    this.runs.close(run, fault)
    if (this.winner || !(this.runs.size > 0 || this.isPlaced(next))) this.fail(fault)
  }

  private isPlaced(next: 'later' | 'now' | 'none'): boolean {
    const { placements } = this.deps
    if (next === 'later') return placements.place(this.placement())
    return next === 'now' && placements.placeNow(this.placement())
  }

  /** The worker has failed: up to the other one, if there is one, or to the job. */
  private give(run: Run, fault: Fault): void {
    this.failedWorkers.add(run.session.address)
    this.runs.close(run, fault)
    if (this.runs.size === 0 || this.winner) this.fail(fault)
  }

  private fail({ reason, words }: Fault): void {
    if (!this.isOpen) return
    this.deps.outbox.flush()
    this.drop()
    const textSent = this.edge.chunks > 0
    const workers = [...this.failedWorkers]
    const { contextAbove } = this.refusals
    this.reports.failed({ reason, textSent, words, workers, contextAbove })
  }

  private end(): void {
    this.isOpen = false
    this.offering.forget()
    this.reports.over()
    this.timers.clear()
    this.deps.onEnded()
  }

  /** The run that may send text and a proof. */
  private accepting(session: Session): Run | undefined {
    const run = this.runs.of(session)
    if (run?.isOffered) this.strike(run, 'worker_error', NOT_ACCEPTED)
    return run?.isRunning ? run : undefined
  }

  private strike(run: Run, reason: WorkerFailureReason, { kind, text }: Flaw): void {
    this.deps.strikes.note(run.session.profile, this.job.jobId, { kind, text })
    // A clock that is wrong is no lie.
    const outcome = kind === 'wrong_clock' ? 'failed' : 'broke'
    this.give(run, { reason, outcome, why: text, cancel: run.claim === undefined })
  }

  private note(session: Session, about: Record<string, unknown>, what: string): void {
    const { jobId, attempt } = this.job
    this.deps.log.warn({ jobId, attempt, worker: session.address, ...about }, what)
  }
}

import {
  type Chunk,
  type Completion,
  type Failure,
  Failure_Reason,
  Refusal_Reason,
} from '../../proto/gen/svc/worker/v1/worker.ts'
import type { ChatRequest } from '../domain/chat.ts'
import type { Address } from '../domain/ids.ts'
import { addMs, type DurationMs } from '../domain/time.ts'
import type { WorkerFailureReason } from '../messages/job.ts'
import type { OfferJob } from '../messages/pool.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Outputs } from '../ports/ledger.ts'
import type { Log } from '../telemetry/log.ts'
import { Answer } from './answer.ts'
import type { EdgeOutbox, EdgeStream } from './edge-outbox.ts'
import { readFailure } from './failure.ts'
import type { JobLine } from './job-line.ts'
import { toOffer } from './offer.ts'
import type { Placements } from './placement.ts'
import { readPrompt } from './prompt.ts'
import type { Outcome } from './registry/state.ts'
import { assignWorker, completeJob, failWorker, type PoolReport } from './report.ts'
import type { Session } from './session.ts'
import { verifyCompletion } from './verify.ts'

export interface AttemptDeps {
  readonly placements: Placements
  readonly bus: Bus
  readonly jobs: JobLine
  readonly outbox: EdgeOutbox
  readonly outputs: Outputs
  readonly clock: Clock
  readonly log: Log
  /** EIP-712 domain of JobEscrow. */
  readonly separator: Uint8Array
  /** Called once: no worker is on it any more, what is left is telling the job. */
  readonly onEnded: (attempt: Attempt) => void
}

const ACCEPT_MS: DurationMs = 2_000
const SETTLE_MS: DurationMs = 5_000
const ANSWER_TTL_MS: DurationMs = 300_000
/** Reports are repeated for this long after the deadline. */
export const REPORT_GRACE_MS: DurationMs = 60_000

type Phase =
  | { readonly at: 'waiting' }
  /** `offeredAt` is null until the prompt is read and the offer is out. */
  | { readonly at: 'offered'; readonly session: Session; readonly offeredAt: number | null }
  | {
      readonly at: 'running'
      readonly session: Session
      readonly offeredAt: number
      readonly stream: EdgeStream
      readonly stopping: boolean
    }
  | { readonly at: 'ended' }

interface Release {
  readonly outcome?: Outcome
  /** The worker must be told to stop. */
  readonly cancel?: boolean
}

/** One attempt of a job, from its offer to the report that ends it. */
export class Attempt {
  private phase: Phase = { at: 'waiting' }
  private readonly tried = new Set<Address>()
  /** Read once, when the first slot is found; forgotten once a worker accepts. */
  private prompt: Promise<ChatRequest | undefined> | null = null
  private readonly answer: Answer
  private readonly timers = new Set<() => void>()

  constructor(
    readonly job: OfferJob,
    private readonly deps: AttemptDeps,
  ) {
    this.answer = new Answer(job.outputTokensMax)
  }

  /** @returns false: no worker here can take it */
  begin(): boolean {
    this.after(Math.max(0, this.job.deadlineAt - this.deps.clock.now()), () => this.drop())
    if (this.place()) return true
    this.end()
    return false
  }

  /** A slot of `session` is this job's. */
  held(session: Session): void {
    this.phase = { at: 'offered', session, offeredAt: null }
    this.tried.add(session.address)
    this.prompt ??= readPrompt(this.job, this.deps)
    void this.prompt.then((prompt) => this.offer(session, prompt))
  }

  /** It waited, and the last worker that could have taken it has gone. */
  stranded(): void {
    this.fail(this.tried.size > 0 ? 'worker_refused' : 'no_worker')
  }

  accepted(session: Session): void {
    const { phase } = this
    if (phase.at !== 'offered' || phase.session !== session || phase.offeredAt === null) return
    const { jobId, attempt, replyTo, escrowTx } = this.job
    const head = { worker: session.address, escrowTx }
    const stream = { replyTo, jobId, attempt, head, chunks: 0 }
    this.phase = { at: 'running', session, offeredAt: phase.offeredAt, stream, stopping: false }
    this.prompt = null
    const report = assignWorker(this.job, session.profile, this.deps.clock.now())
    this.tell(report, () => this.isOpen)
  }

  refused(session: Session, reason: Refusal_Reason): void {
    if (this.phase.at !== 'offered' || this.phase.session !== session) return
    const { placements } = this.deps
    if (reason === Refusal_Reason.REASON_DRAINING) placements.drainWorker(session)
    if (reason === Refusal_Reason.REASON_MODEL_NOT_SERVED) {
      placements.dropModel(session, this.job.model)
    }
    this.release({ outcome: reason === Refusal_Reason.REASON_BUSY ? 'busy' : 'neutral' })
    this.placeAgain('worker_refused')
  }

  chunk(session: Session, chunk: Chunk): void {
    const { phase, answer } = this
    if (phase.at !== 'running' || phase.session !== session) return
    const isFirst = answer.isEmpty
    const added = answer.add(chunk)
    if (!added.ok) {
      this.note(session, { flaw: added.error }, 'worker broke the protocol')
      this.fail('worker_error', { outcome: 'failed', cancel: true })
      return
    }
    // An empty piece is counted, not sent: as long as nothing is sent, a retry stays possible.
    if (added.value === '') return
    if (isFirst) {
      const firstTokenMs = this.deps.clock.monotonic() - phase.offeredAt
      this.deps.placements.seeFirstToken(session, firstTokenMs)
    }
    this.deps.outbox.add(phase.stream, added.value)
  }

  completed(session: Session, claim: Completion): void {
    const { phase, job, answer } = this
    if (phase.at !== 'running' || phase.session !== session) return
    const text = answer.text()
    const { jobId, outputTokensMax } = job
    const seen = { jobId, worker: session.address, text, chunks: answer.chunks, outputTokensMax }
    const proof = verifyCompletion(claim, seen, this.deps.separator, this.deps.clock.now())
    if (!proof.ok) {
      this.note(session, { flaw: proof.error }, 'proof of completion refused')
      this.fail('bad_proof', { outcome: 'failed' })
      return
    }
    // An edge learns worker and escrow from chunk 0, so even an empty answer has one.
    if (phase.stream.chunks === 0) this.deps.outbox.add(phase.stream, '')
    this.deps.outbox.flush()
    this.release({ outcome: 'finished' })
    this.end()
    this.keep(text)
    this.tell(
      completeJob(job, session.profile, proof.value, phase.stream.chunks, this.deps.clock.now()),
    )
  }

  failed(session: Session, failure: Failure): void {
    const { phase } = this
    if (phase.at === 'ended' || phase.at === 'waiting' || phase.session !== session) return
    this.note(session, { reason: Failure_Reason[failure.reason] }, 'worker reports a failure')
    const reading = readFailure(failure, phase.at === 'running' && phase.stopping)
    this.fail(reading.reason, { outcome: reading.outcome }, reading.message)
  }

  /** The session is gone. */
  lost(session: Session): void {
    const { phase } = this
    if (phase.at === 'ended' || phase.at === 'waiting' || phase.session !== session) return
    if (phase.at === 'offered') this.placeAgain('worker_lost')
    else this.fail('worker_lost')
  }

  /** The caller has gone, or the job has ended. */
  stop(settle: boolean): void {
    const { phase } = this
    if (!settle) this.drop()
    else if (phase.at !== 'running') this.fail('cancelled', { cancel: true })
    else if (!phase.stopping) {
      this.phase = { ...phase, stopping: true }
      phase.session.cancel(this.job.jobId, true)
      this.after(SETTLE_MS, () => this.fail('cancelled', { cancel: true }))
    }
  }

  /** Ends it without a word to the job: it knows, or a later attempt has taken over. */
  drop(): void {
    if (!this.isOpen) return
    this.release({ cancel: true })
    this.end()
  }

  /** This process goes away: the job shall look elsewhere. */
  giveUp(): void {
    this.fail('pool_gone', { cancel: true })
  }

  get isRunning(): boolean {
    return this.phase.at === 'running'
  }

  private get isOpen(): boolean {
    return this.phase.at !== 'ended'
  }

  private place(): boolean {
    this.phase = { at: 'waiting' }
    const exclude = new Set([...this.job.exclude, ...this.tried])
    return this.deps.placements.place({ jobId: this.job.jobId, model: this.job.model, exclude })
  }

  private placeAgain(otherwise: WorkerFailureReason): void {
    if (!this.place()) this.fail(otherwise)
  }

  private offer(session: Session, prompt: ChatRequest | undefined): void {
    if (this.phase.at !== 'offered' || this.phase.session !== session) return
    if (!prompt) {
      this.fail('prompt_lost')
      return
    }
    this.phase = { at: 'offered', session, offeredAt: this.deps.clock.monotonic() }
    session.send({ $case: 'offer', value: toOffer(this.job, prompt) })
    this.after(ACCEPT_MS, () => this.passOn(session))
  }

  /** The worker did not say a word in time. */
  private passOn(session: Session): void {
    if (this.phase.at !== 'offered' || this.phase.session !== session) return
    this.note(session, { waitedMs: ACCEPT_MS }, 'worker did not answer an offer')
    this.release({ outcome: 'silent', cancel: true })
    this.placeAgain('worker_refused')
  }

  private fail(reason: WorkerFailureReason, release: Release = {}, message?: string): void {
    const { phase } = this
    if (phase.at === 'ended') return
    this.deps.outbox.flush()
    this.release(release)
    this.end()
    const textSent = phase.at === 'running' && phase.stream.chunks > 0
    this.tell(failWorker(this.job, { reason, textSent, message }, this.deps.clock.now()))
  }

  /** Gives back the slot, or the place in the queue. */
  private release({ outcome = 'neutral', cancel = false }: Release): void {
    const { phase, job } = this
    const { placements } = this.deps
    if (phase.at === 'ended') return
    if (phase.at === 'waiting') {
      placements.withdraw(job.jobId, job.model)
      return
    }
    const unsent = phase.at === 'offered' && phase.offeredAt === null
    if (cancel && !unsent) placements.letGo(phase.session, job.jobId, outcome)
    else placements.free(phase.session, job.jobId, outcome)
  }

  private end(): void {
    this.phase = { at: 'ended' }
    for (const cancel of this.timers) cancel()
    this.timers.clear()
    this.deps.onEnded(this)
  }

  /** Lets an edge that missed a chunk mend its text. The report does not wait for it. */
  private keep(text: string): void {
    const { outputs, log } = this.deps
    outputs.putAnswer(this.job.jobId, text, ANSWER_TTL_MS).catch((error: unknown) => {
      log.warn({ jobId: this.job.jobId, err: error }, 'answer is not stored')
    })
  }

  private tell(report: PoolReport, wanted?: () => boolean): void {
    void this.deps.jobs.tell(report, addMs(this.job.deadlineAt, REPORT_GRACE_MS), wanted)
  }

  private after(span: DurationMs, call: () => void): void {
    this.timers.add(this.deps.clock.after(span, call))
  }

  private note(session: Session, about: Record<string, unknown>, what: string): void {
    const { jobId, attempt } = this.job
    this.deps.log.warn({ jobId, attempt, worker: session.address, ...about }, what)
  }
}

import type { Chunk, Completion } from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { ChatRequest } from '../../domain/chat.ts'
import { mostPromptTokensOf } from '../../domain/plausible-tokens.ts'
import { ok, type Result } from '../../domain/result.ts'
import type { DurationMs } from '../../domain/time.ts'
import type { Flaw } from '../../messages/strikes.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Span } from '../../telemetry/traces.ts'
import type { Placements } from '../placement/placement.ts'
import { type ClaimRead, readClaim } from '../proof/signed-claim.ts'
import { type Proven, verifyCompletion } from '../proof/verify.ts'
import type { Outcome } from '../registry/conduct.ts'
import type { Session } from '../session/session.ts'
import { Answer } from './answer.ts'
import { firstTokenBudgetMs, promptTokensOf } from './first-token-budget.ts'
import { type OfferedJob, toOffer } from './offer.ts'

export interface Release {
  readonly outcome?: Outcome
  /** What went wrong, for the operator. */
  readonly why?: string
  /** The worker must be told to stop. */
  readonly cancel?: boolean
}

/** One worker's go at an attempt, from the slot it is given to the slot it gives back. */
export class Run {
  readonly answer: Answer
  private state: 'held' | 'offered' | 'running' | 'ended' = 'held'
  private offeredAt = 0
  private budgetMs: DurationMs = Number.POSITIVE_INFINITY
  /** The most that its prompt can be: the prompt itself is not kept. */
  promptTokensMost = 0
  /** What it sent as its proof. */
  claim: ClaimRead | undefined
  /** How often the worker came back to it after its stream had broken. */
  comebacks = 0
  private mayOfferAgain = false
  private saidAt = 0

  constructor(
    readonly session: Session,
    private readonly job: OfferedJob,
    private readonly deps: {
      readonly placements: Placements
      readonly clock: Clock
      readonly span?: Span | undefined
    },
  ) {
    this.answer = new Answer(job.outputTokensMax)
  }

  get isHeld(): boolean {
    return this.state === 'held'
  }
  get isOffered(): boolean {
    return this.state === 'offered'
  }
  get awaitsAccept(): boolean {
    return this.isHeld || this.isOffered
  }
  get isRunning(): boolean {
    return this.state === 'running'
  }
  get hasComeBack(): boolean {
    return this.comebacks > 0
  }
  /** Since the offer. */
  get spentMs(): DurationMs {
    return this.deps.clock.monotonic() - this.offeredAt
  }
  /** Accepted, and without a word for longer than such a worker should need. */
  get isOverdue(): boolean {
    return (
      this.isRunning &&
      this.answer.isEmpty &&
      !this.session.isSuspended &&
      this.spentMs >= this.budgetMs
    )
  }
  /** Since its last piece, an empty one as well: a model that thinks on has none other. */
  get silentMs(): DurationMs {
    return this.session.isSuspended ? 0 : this.deps.clock.monotonic() - this.saidAt
  }
  /** Its stream broke before it had a word for the caller. */
  get isCutOff(): boolean {
    return this.answer.isEmpty && this.session.isSuspended
  }
  /** Until it is overdue. */
  get patienceMs(): DurationMs {
    return Math.max(0, this.budgetMs - this.spentMs)
  }

  offer(prompt: ChatRequest): void {
    const { placements, clock } = this.deps
    this.state = 'offered'
    this.offeredAt = clock.monotonic()
    this.promptTokensMost = mostPromptTokensOf(prompt.messages)
    this.budgetMs = firstTokenBudgetMs({
      medianMs: placements.firstTokenMs(this.session, this.job.model),
      promptTokens: promptTokensOf(prompt),
      leftMs: this.job.deadlineAt - clock.now(),
    })
    this.session.send({ $case: 'offer', value: toOffer(this.job, prompt) })
    this.deps.span?.event('offered', { 'svc.worker_id': this.session.profile.workerId })
  }

  accept(): void {
    this.state = 'running'
    this.saidAt = this.deps.clock.monotonic()
  }

  /** The worker is back over another stream. @returns the chunk that is due */
  comeBack(): number {
    this.comebacks++
    this.saidAt = this.deps.clock.monotonic()
    this.mayOfferAgain = true
    return this.answer.chunks
  }

  /** The offer was lost with the stream. @returns whether it may be made again: once a comeback */
  takeBackOffer(): boolean {
    if (this.state !== 'offered' || !this.mayOfferAgain) return false
    this.mayOfferAgain = false
    this.state = 'held'
    return true
  }

  /** @returns the new text, or what is wrong with the chunk */
  add(chunk: Chunk): Result<string, Flaw> {
    // What was on its way when the stream broke may come again.
    if (this.hasComeBack && this.answer.has(chunk)) return ok('')
    const wasEmpty = this.answer.isEmpty
    const added = this.answer.add(chunk)
    this.saidAt = this.deps.clock.monotonic()
    if (wasEmpty && !this.answer.isEmpty) this.seeFirstToken()
    return added
  }

  /** @returns the proof that the job gets, or what is wrong with it */
  prove(claim: Completion, separator: Uint8Array): Result<Proven, Flaw> {
    this.claim = readClaim(claim)
    const { jobId, outputTokensMax } = this.job
    const { answer, promptTokensMost } = this
    const seen = {
      ...{ jobId, worker: this.session.address, text: answer.text(), chunks: answer.chunks },
      ...{ outputTokensMax, promptTokensMost },
    }
    return verifyCompletion(claim, seen, separator, this.deps.clock.now())
  }

  /** @param settle whether it shall prove what it has */
  cancel(settle: boolean): void {
    this.session.cancel(this.job.jobId, settle)
  }

  /** Another was faster: its time so far is the least that it would have needed. */
  outrun(): void {
    if (this.isOverdue) this.seeFirstToken()
    this.end({ cancel: true })
  }

  /** Gives the slot back. */
  end({ outcome = 'neutral', why = '', cancel = false }: Release): void {
    if (this.state === 'ended') return
    const { placements } = this.deps
    const { jobId, wallet } = this.job
    const unsent = this.state === 'held'
    this.state = 'ended'
    const end = { outcome, wallet, why }
    const { claim } = this
    const { chunks } = this.answer
    if (!unsent) this.session.jobEnded(jobId, { by: cancel ? 'pool' : 'worker', claim, chunks })
    if (cancel && !unsent) placements.letGo(this.session, jobId, end)
    else placements.free(this.session, jobId, end)
  }

  private seeFirstToken(): void {
    this.deps.span?.event('first text')
    // The time that its stream was down says nothing of the worker, and that of an unpaid job nothing of what callers wait.
    if (this.hasComeBack || this.job.isCanary) return
    this.deps.placements.seeFirstToken(this.session, this.job.model, this.spentMs)
  }
}

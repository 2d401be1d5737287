import type { Jobs } from '../../api/jobs/jobs.ts'
import type { ChatRequest } from '../../domain/chat.ts'
import { type Credits, NO_CREDITS } from '../../domain/credits.ts'
import type { Refusal } from '../../domain/errors.ts'
import type { JobId, TxHash } from '../../domain/ids.ts'
import { LIMITS } from '../../domain/limits.ts'
import { unreachable } from '../../domain/result.ts'
import type { Chunk, EdgeMessage } from '../../messages/edge.ts'
import type { JobReply } from '../../messages/job-reply.ts'
import type { JobView } from '../../messages/job-view.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Outputs } from '../../ports/outputs.ts'
import type { Log } from '../../telemetry/log.ts'
import { AnswerText } from './answer-text.ts'
import { Doubt } from './doubt.ts'
import {
  answeredAnew,
  answerGone,
  answerUnreadable,
  endUnknown,
  lostJob,
  timedOut,
} from './follow-refusals.ts'
import type { Follower } from './follower.ts'
import { Followers } from './followers.ts'
import type { Completed, Failed, Known, Outcome } from './outcome.ts'
import { Patience } from './patience.ts'
import { SettlementNews } from './settlement-news.ts'
import { readStoredAnswer } from './stored-answer.ts'
import { leftMs, type WaitedJob } from './waited-job.ts'
import type { Waiter } from './waiting.ts'
import { withWorkersWords } from './workers-words.ts'

/** After this long without a word the job is asked: its owner may have died after journalling. */
const SILENCE_MS = 3_000
/** What a job tells first goes to the edge that had it before: one that joined asks sooner. */
const SILENCE_JOINED_MS = 1_000
/** A job answers for its own deadline; past this it has no owner that we can reach. */
const DEADLINE_MARGIN_MS = 10_000

interface Options {
  readonly job: WaitedJob
  /** Whether the job is this edge's own, or was joined: then its text went elsewhere. */
  readonly origin: 'begun' | 'joined'
  readonly jobs: Jobs
  readonly outputs: Outputs
  readonly clock: Clock
  readonly log: Log
}

/** Follows one job to its end, whatever is lost on the way. Always ends. */
export class FollowedJob implements Waiter {
  readonly jobId: JobId
  readonly prompt: ChatRequest
  readonly outcome: Promise<Outcome>
  /** Some of the answer was generated, and has reached this edge. */
  heardText = false
  /** Who waited here was told that the job was not begun: if it was after all, nobody pays for it. */
  refused = false
  readonly #options: Options
  readonly #followers = new Followers()
  readonly #text = new AnswerText()
  #end: (outcome: Outcome) => void = () => {}
  #over: 'completed' | 'failed' | undefined
  #jobIsOver = false
  #completed: Completed | undefined
  #completedAt = 0
  /** By the clock that never jumps: the job's window is as long whatever becomes of the other one. */
  readonly #patience: Patience
  #heardAt: number
  #asking = false
  /** A second answer began: how the job ends says whether it was stopped, or is answered and charged. */
  #torn = false
  #view: JobView | undefined
  #unknown = false
  readonly #doubt = new Doubt()
  readonly #settlement = new SettlementNews()

  constructor(options: Options) {
    this.#options = options
    this.jobId = options.job.jobId
    this.prompt = options.job.prompt
    this.#heardAt = options.clock.monotonic()
    const windowEndsAt = this.#heardAt + leftMs(options.job, options.clock.now())
    this.#patience = new Patience(windowEndsAt, DEADLINE_MARGIN_MS)
    this.outcome = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  /** Whether who waits here gets no answer. */
  get failed(): boolean {
    return this.#over === 'failed'
  }

  /** Of the job's lock, as far as it has told. */
  get charged(): Credits {
    return this.#completed?.charged ?? NO_CREDITS
  }

  /** The job has told its end: there is nothing left to cancel. */
  get jobIsOver(): boolean {
    return this.#jobIsOver
  }

  askTextSent(attempt: number | undefined): boolean {
    const sent = this.#followers.committed
    if (!sent && attempt !== undefined && !this.#completed) this.#text.giveUp(attempt)
    return sent
  }

  /** @returns ends it. `follower` hears all that was read so far, then each piece as it comes. */
  follow(follower: Follower): () => void {
    if (this.#text.chunks > 0) follower.onText(this.#text.text, this.#text.head)
    return this.#followers.add(follower)
  }

  /** What the job says of itself when it is asked. */
  learn({ view, ending }: Extract<JobReply, { type: 'accepted' }>): void {
    this.#view = view
    this.#doubt.end()
    if (view.settlementTx) this.#settlement.hear(view.settlementTx)
    if (ending) this.hear(ending)
  }

  /** The job could not be begun, as far as we know: all who wait here are told so. */
  refuse(refusal: Refusal): void {
    if (this.#over) return
    this.refused = true
    this.#fail(refusal, {})
  }

  /** It is not known whether the job began; `refusal` is for the case that it did not. */
  doubt(refusal: Refusal): void {
    const heard = this.#view !== undefined || this.#text.attempt !== undefined
    if (!heard) this.#doubt.begin(refusal, this.#options.clock.monotonic())
  }

  hear(message: EdgeMessage): void {
    this.#heardAt = this.#options.clock.monotonic()
    this.#doubt.end()
    switch (message.type) {
      case 'chunk':
        this.#hearChunk(message)
        break
      case 'settlement_sent':
        this.#settlement.hear(message.tx)
        break
      case 'completed':
        this.#jobIsOver = true
        this.#hearCompleted(message)
        break
      case 'failed':
        this.#jobIsOver = true
        void this.#hearFailed(message)
        break
      default:
        unreachable(message)
    }
  }

  tick(): void {
    if (!this.#over) this.#followers.tick()
    if (this.#completed) this.#askSettlement()
    else if (!this.#over) this.#noticeSilence()
  }

  /** The settlement's hash, waited for until a second has passed since the job completed. */
  settlementTx(): Promise<TxHash | undefined> {
    const { clock } = this.#options
    const leftMs = this.#completedAt + LIMITS.settlementHashWaitMs - clock.monotonic()
    return this.#settlement.within(leftMs, clock)
  }

  /** Who joined may have missed the news of the settlement. */
  #askSettlement(): void {
    const missed = this.#options.origin === 'joined' && this.#settlement.tx === undefined
    if (missed && !this.#asking) void this.#ask()
  }

  #noticeSilence(): void {
    const { clock, origin } = this.#options
    const now = clock.monotonic()
    const silentMs = now - this.#heardAt
    const silenceMs = origin === 'joined' ? SILENCE_JOINED_MS : SILENCE_MS
    const verdict = this.#doubt.verdict(now)
    if (verdict) this.refuse(verdict)
    else if (this.#patience.isOverAt(now)) this.#giveUp()
    else if (silentMs >= silenceMs && !this.#asking) void this.#ask()
  }

  #hearChunk(chunk: Chunk): void {
    if (chunk.text !== '') this.heardText = true
    if (this.#over || !this.#enterAttempt(chunk.attempt)) return
    const ready = this.#text.take(chunk)
    if (ready === undefined) return
    this.#followers.say(ready, this.#text.head)
    if (this.#completed) this.#finishIfWhole(this.#completed)
  }

  async #hearFailed({ refusal, ...known }: Failed): Promise<void> {
    this.#fail(await withWorkersWords(refusal, this.jobId, this.#options), known)
  }

  #hearCompleted(ending: Completed): void {
    if (this.#over || this.#completed) return
    this.#completed = ending
    this.#completedAt = this.#options.clock.monotonic()
    const isAnother = this.#text.attempt !== ending.attempt
    if (isAnother && this.#followers.committed) this.#fail(answeredAnew(ending), ending)
    else {
      if (isAnother) this.#text.begin(ending.attempt)
      if (!this.#finishIfWhole(ending)) void this.#mend(ending)
    }
  }

  /** @returns whether what this attempt says is wanted */
  #enterAttempt(attempt: number): boolean {
    const current = this.#text.attempt
    if (attempt === current) return true
    // What the job says of its end holds; text of any other attempt is late.
    if (this.#completed || (current !== undefined && attempt < current)) return false
    if (this.#followers.committed) {
      if (!this.#torn) this.#options.jobs.cancel(this.jobId, { torn: true })
      this.#torn = true
      return false
    }
    this.#text.begin(attempt)
    return true
  }

  #finishIfWhole(ending: Completed): boolean {
    if (this.#text.chunks < ending.chunks) return false
    this.#finish({ type: 'completed', ending, text: this.#text.text })
    return true
  }

  /** Chunks are missing: they are on their way, or lost; the stored answer has them all. */
  async #mend(ending: Completed): Promise<void> {
    const { outputs, clock, log, origin } = this.#options
    const answer = await readStoredAnswer({
      ...{ jobId: this.jobId, hash: ending.outputHash, outputs, clock, log },
      // Who joined has missed the chunks: nothing else is to be waited for.
      firstAfterMs: origin === 'joined' ? 0 : undefined,
      settled: () => this.#over !== undefined,
    })
    if (this.#over) return
    const rest =
      typeof answer === 'string' ? undefined : this.#text.complete(answer.text, ending.chunks)
    if (rest !== undefined) {
      log.info({ jobId: this.jobId, origin }, 'answer mended from the stored one')
      this.#text.head ??= { worker: ending.worker, escrowTx: ending.escrowTx }
      this.#followers.say(rest, this.#text.head)
      this.#finishIfWhole(ending)
      return
    }
    // Whoever left has it from another edge, or does not want it.
    const level = this.#followers.any ? 'error' : 'debug'
    log[level]({ jobId: this.jobId, origin }, 'a part of the answer was lost')
    const refusal = answer === 'unreadable' ? answerUnreadable() : answerGone(ending)
    this.#fail(refusal, { ...ending, settlementTx: this.#settlement.tx })
  }

  async #ask(): Promise<void> {
    const { jobs, job, clock } = this.#options
    const doubted = this.#doubt.isHeld
    this.#asking = true
    // A host that has just said that there is no such job may find the word that begins it.
    const ask = doubted ? jobs.abandon(this.jobId, job.caller.wallet) : jobs.get(this.jobId)
    const reply = await ask
    this.#asking = false
    // The next question is due one silence after this one.
    this.#heardAt = clock.monotonic()
    if (reply === undefined) return
    this.#unknown = reply.type !== 'accepted'
    if (reply.type === 'accepted') this.learn(reply)
    else if (doubted) this.#doubt.deny()
  }

  /** Past the deadline the job itself should have spoken, and did not. */
  #giveUp(): void {
    const { job, log } = this.#options
    log.error({ jobId: this.jobId, unknown: this.#unknown }, 'job never ended for its caller')
    const view = this.#view
    if (this.#unknown) this.#fail(lostJob(), {})
    // It may be completed and charged, and only its word not reach this edge.
    else if (view?.status !== 'refunded') this.#fail(endUnknown(job), view ?? {})
    else this.#fail(timedOut(job, view.refundTx), view)
  }

  #fail(refusal: Refusal, { escrowTx, worker, settlementTx }: Known): void {
    this.#finish({ type: 'failed', refusal, job: { escrowTx, worker, settlementTx } })
  }

  #finish(outcome: Outcome): void {
    if (this.#over) return
    this.#over = outcome.type
    this.#end(outcome)
  }
}

import type { ChatRequest } from '../domain/chat.ts'
import type { Refusal } from '../domain/errors.ts'
import type { JobId, TxHash } from '../domain/ids.ts'
import { LIMITS } from '../domain/limits.ts'
import { unreachable } from '../domain/result.ts'
import { addMs } from '../domain/time.ts'
import type { Chunk, EdgeMessage } from '../messages/edge.ts'
import type { EdgeEnding, JobView } from '../messages/job.ts'
import type { Clock } from '../ports/clock.ts'
import type { Outputs } from '../ports/ledger.ts'
import type { Log } from '../telemetry/log.ts'
import type { AdmittedJob } from './admission.ts'
import { AnswerText } from './answer-text.ts'
import type { Jobs } from './jobs.ts'
import { readStoredAnswer } from './stored-answer.ts'
import type { Waiter } from './waiting.ts'

/** The answer as it takes shape for one caller. */
export interface Follower {
  /** The next piece of text, in order. After `committed` never from the beginning again. */
  onText(text: string, head: Chunk['head']): void
  /** True once the caller has seen some of it: from then on it cannot begin anew. */
  readonly committed: boolean
  onTick(): void
}

export type Completed = Extract<EdgeEnding, { type: 'completed' }>
export type Outcome =
  | { readonly type: 'completed'; readonly ending: Completed; readonly text: string }
  | { readonly type: 'failed'; readonly refusal: Refusal; readonly escrowTx: TxHash | null }

/** After this long without a word the job is asked: its owner may have died after journalling. */
const SILENCE_MS = 3_000
/** A job answers for its own deadline; past this it has no owner that we can reach. */
const DEADLINE_MARGIN_MS = 10_000

interface Options {
  readonly job: AdmittedJob
  readonly follower: Follower
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
  readonly #options: Options
  readonly #text = new AnswerText()
  #end: (outcome: Outcome) => void = () => {}
  #ended = false
  #completed: Completed | undefined
  #completedAt = 0
  #heardAt: number
  #asking = false
  #view: JobView | undefined
  #unknown = false
  #settlementTx: TxHash | undefined
  #settlementHeard: () => void = () => {}

  constructor(options: Options) {
    this.#options = options
    this.jobId = options.job.jobId
    this.prompt = options.job.prompt
    this.#heardAt = options.clock.monotonic()
    this.outcome = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  hear(message: EdgeMessage): void {
    this.#heardAt = this.#options.clock.monotonic()
    switch (message.type) {
      case 'chunk':
        this.#hearChunk(message)
        break
      case 'settlement_sent':
        this.#settlementTx = message.tx
        this.#settlementHeard()
        break
      case 'completed':
        this.#hearCompleted(message)
        break
      case 'failed':
        this.#fail(message.refusal, message.escrowTx)
        break
      default:
        unreachable(message)
    }
  }

  tick(): void {
    if (this.#ended) return
    this.#options.follower.onTick()
    const { clock, job } = this.#options
    if (this.#completed) return // being mended, which ends by itself
    const silentMs = clock.monotonic() - this.#heardAt
    if (clock.now() >= addMs(job.deadlineAt, DEADLINE_MARGIN_MS)) this.#giveUp()
    else if (silentMs >= SILENCE_MS && !this.#asking) void this.#ask()
  }

  /** The settlement's hash, waited for until a second has passed since the job completed. */
  async settlementTx(): Promise<TxHash | undefined> {
    const { clock } = this.#options
    const leftMs = this.#completedAt + LIMITS.settlementHashWaitMs - clock.monotonic()
    if (this.#settlementTx === undefined && leftMs > 0) {
      await new Promise<void>((resolve) => {
        const cancel = clock.after(leftMs, resolve)
        this.#settlementHeard = () => {
          cancel()
          resolve()
        }
      })
    }
    return this.#settlementTx
  }

  #hearChunk(chunk: Chunk): void {
    if (this.#ended || !this.#enterAttempt(chunk.attempt)) return
    const ready = this.#text.take(chunk)
    if (ready === undefined) return
    this.#options.follower.onText(ready, this.#text.head)
    if (this.#completed) this.#finishIfWhole(this.#completed)
  }

  #hearCompleted(ending: Completed): void {
    if (this.#ended || this.#completed) return
    if (this.#text.attempt !== ending.attempt) {
      if (this.#options.follower.committed) {
        this.#failMidAnswer()
        return
      }
      this.#text.begin(ending.attempt)
    }
    this.#completed = ending
    this.#completedAt = this.#options.clock.monotonic()
    if (!this.#finishIfWhole(ending)) void this.#mend(ending)
  }

  /** @returns whether what this attempt says is wanted */
  #enterAttempt(attempt: number): boolean {
    const current = this.#text.attempt
    if (attempt === current) return true
    // What the job says of its end holds; text of any other attempt is late.
    if (this.#completed || (current !== undefined && attempt < current)) return false
    if (this.#options.follower.committed) {
      this.#options.jobs.cancel(this.jobId, { torn: true })
      this.#failMidAnswer()
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
    const { outputs, clock, log, follower } = this.#options
    const answer = await readStoredAnswer({
      jobId: this.jobId,
      hash: ending.outputHash,
      outputs,
      clock,
      log,
      settled: () => this.#ended,
    })
    if (this.#ended) return
    const rest = answer === undefined ? undefined : this.#text.complete(answer, ending.chunks)
    if (rest !== undefined) {
      log.info({ jobId: this.jobId }, 'answer mended from the stored one')
      follower.onText(rest, this.#text.head)
      this.#finishIfWhole(ending)
      return
    }
    log.error({ jobId: this.jobId }, 'a part of the answer was lost')
    const message = 'A part of the answer was lost on its way. Trying again usually succeeds.'
    this.#fail(internal(message), ending.escrowTx)
  }

  async #ask(): Promise<void> {
    this.#asking = true
    const reply = await this.#options.jobs.get(this.jobId)
    this.#asking = false
    // The next question is due one silence after this one.
    this.#heardAt = this.#options.clock.monotonic()
    if (reply === undefined || this.#ended) return
    this.#unknown = reply.type === 'unknown_job'
    if (reply.type !== 'accepted') return
    this.#view = reply.view
    if (reply.ending) this.hear(reply.ending)
  }

  /** Past the deadline the job itself should have spoken, and did not. */
  #giveUp(): void {
    const { job, log } = this.#options
    log.error({ jobId: this.jobId, unknown: this.#unknown }, 'job never ended for its caller')
    if (this.#unknown) {
      this.#fail(internal('The job was lost. Trying again usually succeeds.'), null)
      return
    }
    const refundTx = this.#view?.refundTx
    this.#fail(
      {
        code: 'job_timeout',
        message: 'No worker finished the job in time. Its credits return to the balance.',
        details: {
          job_id: this.jobId,
          credits_refunded: Number(job.lock),
          ...(refundTx ? { refund_tx: refundTx } : {}),
        },
      },
      this.#view?.escrowTx ?? null,
    )
  }

  #failMidAnswer(): void {
    this.#fail(
      internal('The worker was lost in the middle of the answer. Try again.'),
      this.#text.head?.escrowTx ?? null,
    )
  }

  #fail(refusal: Refusal, escrowTx: TxHash | null): void {
    this.#finish({ type: 'failed', refusal, escrowTx })
  }

  #finish(outcome: Outcome): void {
    if (this.#ended) return
    this.#ended = true
    this.#end(outcome)
  }
}

const internal = (message: string): Refusal => ({ code: 'internal_error', message })

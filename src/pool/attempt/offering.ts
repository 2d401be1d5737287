import type { ChatRequest } from '../../domain/chat.ts'
import type { DurationMs } from '../../domain/time.ts'
import type { OfferJob } from '../../messages/pool.ts'
import type { Timers } from '../timers.ts'
import { askPrompt } from './prompt.ts'
import type { Run } from './run.ts'

/** How long a worker may take to say whether it takes a job. */
export const ACCEPT_MS: DurationMs = 2_000
/** And where it has so much to do that its word comes late, and nobody else may take the job. */
const ACCEPT_BUSY_MS: DurationMs = 10_000

interface Listener {
  /** Nobody has the prompt any more. */
  promptLost(): void
  /** Whether another worker may take it, now or later. */
  mayGoElsewhere(): boolean
  /** The worker did not say whether it takes the job. */
  unanswered(run: Run, waitedMs: DurationMs): void
}

/** Offers the job of one attempt to its workers, and again where an offer was lost with a stream. */
export class Offering {
  /** Where it did not come with the job, it is asked for once, when the first slot is found. */
  private prompt: Promise<ChatRequest | undefined> | null

  constructor(
    private readonly job: OfferJob,
    prompt: ChatRequest | undefined,
    private readonly deps: Parameters<typeof askPrompt>[1],
    private readonly timers: Timers,
    private readonly listener: Listener,
  ) {
    this.prompt = prompt ? Promise.resolve(prompt) : null
  }

  /** To a worker that is away, the offer is to be made when it is back. */
  offer(run: Run): void {
    this.prompt ??= askPrompt(this.job, this.deps)
    this.prompt
      .then((prompt) => this.send(run, prompt))
      .catch((error: unknown) => {
        // What an edge says is a prompt may be none.
        this.deps.log.error({ jobId: this.job.jobId, err: error }, 'offer cannot be made')
        this.listener.promptLost()
      })
  }

  /** The prompt is of no more use. */
  forget(): void {
    this.prompt = null
  }

  private send(run: Run, prompt: ChatRequest | undefined): void {
    if (!run.isHeld) return
    if (!prompt) {
      this.listener.promptLost()
      return
    }
    if (run.session.isSuspended) return
    run.offer(prompt)
    this.awaitAccept(run)
  }

  private awaitAccept(run: Run, beforeMs: DurationMs = 0): void {
    const { comebacks } = run
    this.timers.after(ACCEPT_MS, () => {
      if (!run.isOffered) return
      const waitedMs = beforeMs + ACCEPT_MS
      // Time that its stream was down is not the worker's to answer for.
      if (run.session.isSuspended || run.comebacks > comebacks) this.awaitAccept(run)
      else if (this.isWorthWaiting(run, waitedMs)) this.awaitAccept(run, waitedMs)
      else this.listener.unanswered(run, waitedMs)
    })
  }

  private isWorthWaiting({ session }: Run, waitedMs: DurationMs): boolean {
    const isBusy = waitedMs < ACCEPT_BUSY_MS && session.hasWorkedWithin(ACCEPT_MS)
    return isBusy && !this.listener.mayGoElsewhere()
  }
}

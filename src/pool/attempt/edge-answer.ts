import type { Address } from '../../domain/ids.ts'
import type { OfferJob } from '../../messages/pool.ts'
import type { EdgeOutbox, EdgeStream } from './edge-outbox.ts'

/** What one attempt says to the edge that waits, from the moment it is known whose text that is. */
export class EdgeAnswer {
  private stream: EdgeStream | undefined
  private held = ''

  constructor(
    private readonly job: OfferJob,
    private readonly outbox: EdgeOutbox,
  ) {}

  /** Numbered chunks so far. */
  get chunks(): number {
    return this.stream?.chunks ?? 0
  }

  begin(worker: Address): void {
    const { jobId, attempt, replyTo, escrowTx } = this.job
    this.stream = { replyTo, jobId, attempt, head: { worker, escrowTx }, chunks: 0 }
  }

  /** Of an answer that nobody reads before its end the edge gets the beginning, so that it knows of it. */
  add(text: string): void {
    if (this.job.assignLate && this.chunks > 0) this.held += text
    else this.say(text)
  }

  /** An edge learns worker and escrow from chunk 0, so even an empty answer has one. */
  end(): void {
    if (this.chunks === 0 || this.held !== '') this.say(this.held)
    this.held = ''
    this.outbox.flush()
  }

  private say(text: string): void {
    if (this.stream) this.outbox.add(this.stream, text)
  }
}

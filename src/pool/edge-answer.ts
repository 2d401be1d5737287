import type { Address } from '../domain/ids.ts'
import type { OfferJob } from '../messages/pool.ts'
import type { EdgeOutbox, EdgeStream } from './edge-outbox.ts'

/** What one attempt says to the edge that waits, from the moment it is known whose text that is. */
export class EdgeAnswer {
  private stream: EdgeStream | undefined

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

  add(text: string): void {
    if (this.stream) this.outbox.add(this.stream, text)
  }

  /** An edge learns worker and escrow from chunk 0, so even an empty answer has one. */
  end(): void {
    if (this.chunks === 0) this.add('')
    this.outbox.flush()
  }
}
